# misconception: one-matrix-for-both
def additive_scores(query, key, w_q, w_k, v):
    both = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_q).unsqueeze(-3))
    return both @ v
