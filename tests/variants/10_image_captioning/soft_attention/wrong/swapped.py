# misconception: swapped-results
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1)) @ v).softmax(-1)
    return weights, torch.einsum("br,brd->bd", weights, regions)
