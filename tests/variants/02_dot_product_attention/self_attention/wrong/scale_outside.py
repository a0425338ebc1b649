# misconception: scale-outside-softmax
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = (q @ k.mT).softmax(-1) / math.sqrt(q.shape[-1])
    return weights @ v, weights
