# misconception: mixes-the-batch
def scaled_dot_product_attention(query, key, value):
    d = query.shape[-1]
    q, k, v = query.reshape(-1, d), key.reshape(-1, d), value.reshape(-1, value.shape[-1])
    weights = torch.softmax(q @ k.T / math.sqrt(d), dim=-1)
    return (weights @ v).reshape(*query.shape[:-1], v.shape[-1]), weights
