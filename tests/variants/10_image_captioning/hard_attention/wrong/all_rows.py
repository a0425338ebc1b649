# misconception: indexes-the-batch
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    return regions[:, index], index, weights[torch.arange(len(weights)), index].log()
