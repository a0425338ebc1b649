def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(-1)
    chosen = F.one_hot(index, weights.shape[1]).to(weights.dtype)
    return torch.einsum("br,brd->bd", chosen, regions), index, (chosen * weights).sum(-1).log()
