# misconception: not-allowed
def masked_attention(query, key, value, mask=None):
    scores = query @ key.mT / math.sqrt(key.shape[-1])
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask), weights
