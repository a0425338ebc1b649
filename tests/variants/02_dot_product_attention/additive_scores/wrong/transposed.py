# misconception: transposed
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-3) + (key @ w_k).unsqueeze(-2))
    return hidden @ v
