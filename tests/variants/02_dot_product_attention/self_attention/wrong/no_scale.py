# misconception: no-scale
def self_attention(x, w_q, w_k, w_v):
    weights = torch.softmax((x @ w_q) @ (x @ w_k).mT, dim=-1)
    return weights @ (x @ w_v), weights
