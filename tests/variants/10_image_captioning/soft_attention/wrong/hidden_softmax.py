# misconception: softmax-over-hidden
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = F.softmax(hidden, dim=-1) @ v
    return torch.einsum("br,brd->bd", weights, regions), weights
