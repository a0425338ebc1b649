# misconception: scaled
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    scores = hidden @ v / math.sqrt(v.shape[0])
    weights = scores.softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights
