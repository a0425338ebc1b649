# misconception: paired-off
def additive_scores(query, key, w_q, w_k, v):
    return torch.matmul(torch.tanh(query @ w_q + key @ w_k), v)
