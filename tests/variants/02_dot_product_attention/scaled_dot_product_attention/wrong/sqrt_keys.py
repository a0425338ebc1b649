# misconception: scaled-by-the-number-of-keys
def scaled_dot_product_attention(query, key, value):
    n = value.shape[-2]
    p = torch.softmax(query @ key.mT / n**0.5, -1)
    return p @ value, p
