# misconception: not-renormalised
def masked_attention(query, key, value, mask=None):
    weights = F.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    if mask is not None:
        weights = weights * mask
    return weights @ value, weights
