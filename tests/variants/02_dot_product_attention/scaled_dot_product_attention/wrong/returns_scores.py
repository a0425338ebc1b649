# misconception: scores-returned
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    return scores.softmax(-1) @ value, scores
