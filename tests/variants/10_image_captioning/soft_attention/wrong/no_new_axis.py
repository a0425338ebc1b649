# misconception: no-region-axis
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r + state @ w_s) @ v).softmax(-1)
    return torch.einsum("br,brd->bd", weights, regions), weights
