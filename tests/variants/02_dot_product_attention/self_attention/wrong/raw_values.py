# misconception: values-not-projected
def self_attention(x, w_q, w_k, w_v):
    q, k = x @ w_q, x @ w_k
    weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
    return weights @ x, weights
