def additive_scores(query, key, w_q, w_k, v):
    projected = key @ w_k  # once for all queries
    return torch.stack([(torch.tanh(projected + q.unsqueeze(-2) @ w_q) * v).sum(-1) for q in query.unbind(-2)], dim=-2)
