# misconception: scores-returned
def soft_attention(regions, state, w_r, w_s, v):
    scores = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1)) @ v
    return torch.einsum("br,brd->bd", scores.softmax(-1), regions), scores
