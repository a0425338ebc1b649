# misconception: masks-values
def masked_attention(query, key, value, mask=None):
    weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]), dim=-1)
    used = weights if mask is None else weights.masked_fill(~mask, 0)
    return used @ value, weights
