# misconception: axis-behind-the-features
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_q, key @ w_k
    return torch.tanh(q[..., None] + k[..., None, :]) @ v
