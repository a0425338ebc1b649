# misconception: not-renormalised
def luong_context(state, memory, mask):
    weights = torch.softmax((memory * state[:, None]).sum(-1), dim=-1)
    weights = weights.masked_fill(mask == False, 0)
    return torch.einsum("bs,bsd->bd", weights, memory), weights
