# misconception: divides-by-d
def scaled_dot_product_attention(query, key, value):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.shape[-1]
    p = scores.softmax(dim=-1)
    return torch.matmul(p, value), p
