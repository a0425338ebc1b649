# misconception: scaled-by-the-number-of-queries
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT
    p = torch.softmax(scores / math.sqrt(scores.shape[-2]), -1)
    return p @ value, p
