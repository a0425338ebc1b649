# misconception: matrices-swapped
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_k, key @ w_q
    return torch.tanh(q[..., :, None, :] + k[..., None, :, :]) @ v
