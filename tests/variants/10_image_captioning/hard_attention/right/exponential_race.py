def hard_attention(regions, weights, generator):
    times = torch.empty_like(weights).exponential_(generator=generator) / weights
    index = times.argmin(dim=1)
    chosen = F.one_hot(index, weights.shape[1]).to(regions.dtype)
    context = torch.einsum("br,brd->bd", chosen, regions)
    log_prob = (chosen * weights).sum(-1).log()
    return context, index, log_prob
