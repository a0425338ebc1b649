def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    scores = hidden @ v
    weights = F.softmax(scores, dim=1)
    context = (weights.unsqueeze(-1) * regions).sum(dim=1)
    return context, weights
