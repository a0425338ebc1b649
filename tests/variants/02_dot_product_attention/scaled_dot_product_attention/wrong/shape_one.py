# misconception: fixed-axis-size
def scaled_dot_product_attention(query, key, value):
    dk = key.shape[1]
    scores = torch.matmul(query, key.transpose(-1, -2)) / dk**0.5
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
