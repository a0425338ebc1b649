def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.einsum("brd,da->bra", regions, w_r) + torch.einsum("bs,sa->ba", state, w_s)[:, None]
    weights = torch.einsum("bra,a->br", hidden.tanh(), v).softmax(-1)
    return torch.einsum("br,brd->bd", weights, regions), weights
