# misconception: relu-on-the-score
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return torch.relu(hidden @ v)
