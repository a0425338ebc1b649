# misconception: best-region-only
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    best = weights.argmax(1)
    return torch.stack([r[i] for r, i in zip(regions, best)]), weights
