# misconception: always-causal
def masked_attention(query, key, value, mask=None):
    T, S = query.shape[-2], key.shape[-2]
    past = torch.arange(T)[:, None] >= torch.arange(S)
    mask = past if mask is None else mask & past
    weights = masked_softmax(query @ key.mT / math.sqrt(key.shape[-1]), mask)
    return weights @ value, weights
