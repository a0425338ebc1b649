# misconception: no-softmax
def scaled_dot_product_attention(query, key, value):
    weights = torch.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5
    return weights @ value, weights
