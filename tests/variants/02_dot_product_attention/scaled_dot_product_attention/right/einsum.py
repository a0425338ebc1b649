def scaled_dot_product_attention(query, key, value):
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.size(-1) ** -0.5
    p = scores.softmax(-1)
    return torch.einsum("...ts,...sv->...tv", p, value), p
