def scaled_dot_product_attention(query, key, value):
    q, k, v = query.double(), key.double(), value.double()
    w = (q @ k.mT / math.sqrt(k.size(-1))).softmax(-1)
    return (w @ v).float(), w.float()
