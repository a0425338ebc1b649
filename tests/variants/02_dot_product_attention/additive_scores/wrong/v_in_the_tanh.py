# misconception: v-inside
def additive_scores(query, key, w_q, w_k, v):
    hidden = v * ((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return torch.tanh(hidden).sum(dim=-1)
