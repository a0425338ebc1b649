# misconception: relu-energies
def soft_attention(regions, state, w_r, w_s, v):
    scores = F.relu(regions @ w_r + (state @ w_s)[:, None]) @ v
    weights = scores.softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights
