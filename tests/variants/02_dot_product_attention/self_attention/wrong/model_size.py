# misconception: scaled-by-the-model-size
def self_attention(x, w_q, w_k, w_v):
    B, T, D = x.shape
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(q @ k.mT / math.sqrt(D), dim=-1)
    return weights @ v, weights
