# misconception: keys-against-queries
def scaled_dot_product_attention(query, key, value):
    scores = torch.matmul(key, query.transpose(-2, -1)) / math.sqrt(key.size(-1))
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights
