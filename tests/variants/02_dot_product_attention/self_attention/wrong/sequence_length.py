# misconception: scaled-by-the-number-of-keys
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(q @ k.mT / math.sqrt(x.shape[1]), dim=-1)
    return weights @ v, weights
