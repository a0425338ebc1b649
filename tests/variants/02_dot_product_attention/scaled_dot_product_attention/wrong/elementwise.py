# misconception: paired-off
def scaled_dot_product_attention(query, key, value):
    scores = query * key / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights * value, weights
