# misconception: cosine
def scaled_dot_product_attention(query, key, value):
    q = query / query.norm(dim=-1, keepdim=True)
    k = key / key.norm(dim=-1, keepdim=True)
    weights = F.softmax(q @ k.mT, dim=-1)
    return weights @ value, weights
