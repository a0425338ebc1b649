# misconception: tanh-first
def additive_scores(query, key, w_q, w_k, v):
    q = query.tanh() @ w_q
    k = key.tanh() @ w_k
    return (q[..., :, None, :] + k[..., None, :, :]) @ v
