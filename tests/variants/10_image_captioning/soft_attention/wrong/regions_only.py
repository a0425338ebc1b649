# misconception: state-ignored
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r) @ v).softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights
