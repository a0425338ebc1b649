# misconception: not-allowed
def scaled_dot_product_attention(query, key, value):
    weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]), dim=-1)
    return F.scaled_dot_product_attention(query, key, value), weights
