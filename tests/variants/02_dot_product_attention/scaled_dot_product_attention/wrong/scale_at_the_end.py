# misconception: scale-on-output
def scaled_dot_product_attention(query, key, value):
    d = key.shape[-1]
    p = (query @ key.mT).softmax(-1)
    return (p @ value) / d**0.5, p
