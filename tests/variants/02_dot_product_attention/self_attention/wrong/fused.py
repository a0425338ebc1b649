# misconception: not-allowed
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
    return nn.functional.scaled_dot_product_attention(q, k, v), weights
