# misconception: no-gradient
def scaled_dot_product_attention(query, key, value):
    weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]), dim=-1).detach()
    return weights @ value.detach(), weights
