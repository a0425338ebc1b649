# misconception: -
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    weights = F.dropout(weights, p=0.1)
    return weights @ value, weights
