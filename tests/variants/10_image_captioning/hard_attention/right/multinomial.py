def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(regions.shape[0])
    return regions[rows, index], index, torch.log(weights[rows, index])
