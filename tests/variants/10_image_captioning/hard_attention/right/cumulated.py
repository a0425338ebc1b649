def hard_attention(regions, weights, generator):
    u = torch.rand(len(weights), 1, generator=generator, dtype=torch.float64)
    steps = weights.double().cumsum(-1)
    steps = steps / steps[:, -1:]
    index = (u >= steps).sum(-1)
    rows = range(len(weights))
    return regions[rows, index], index, weights[rows, index].log()
