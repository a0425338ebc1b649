# misconception: not-projected
def self_attention(x, w_q, w_k, w_v):
    weights = torch.softmax(x @ x.mT / math.sqrt(x.shape[-1]), dim=-1)
    return weights @ (x @ w_v), weights
