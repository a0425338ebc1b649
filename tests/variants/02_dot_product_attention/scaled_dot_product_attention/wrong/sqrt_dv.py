# misconception: scaled-by-the-size-of-the-values
def scaled_dot_product_attention(query, key, value):
    p = torch.softmax(query @ key.mT / math.sqrt(value.size(-1)), -1)
    return p @ value, p
