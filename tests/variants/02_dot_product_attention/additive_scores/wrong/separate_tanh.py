# misconception: tanh-on-each
def additive_scores(query, key, w_q, w_k, v):
    a = torch.tanh(query @ w_q) @ v
    b = torch.tanh(key @ w_k) @ v
    return a.unsqueeze(-1) + b.unsqueeze(-2)
