def self_attention(x, w_q, w_k, w_v):
    scores = x @ (w_q @ w_k.T) @ x.mT / math.sqrt(w_k.shape[-1])  # one matrix between the words
    weights = scores.softmax(-1)
    return (weights @ x) @ w_v, weights
