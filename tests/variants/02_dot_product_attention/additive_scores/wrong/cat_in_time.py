# misconception: concatenated-along-the-sequence
def additive_scores(query, key, w_q, w_k, v):
    joined = torch.cat((query @ w_q, key @ w_k), dim=-2)
    return torch.tanh(joined) @ v
