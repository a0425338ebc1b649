# misconception: -
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    return regions[torch.arange(len(regions)), index], index
