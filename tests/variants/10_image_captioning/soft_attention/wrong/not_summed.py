# misconception: not-summed
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    return weights.unsqueeze(2) * regions, weights
