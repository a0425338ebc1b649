# misconception: -
def scaled_dot_product_attention(query, key, value):
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[2])
    weights = torch.softmax(scores, dim=2)
    return torch.bmm(weights, value), weights
