def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    if mask is None:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool)
    weights = masked_softmax(scores, mask)
    return weights @ value, weights
