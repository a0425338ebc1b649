# misconception: inverted
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = masked_softmax(scores, torch.logical_not(mask))
    return weights @ value, weights
