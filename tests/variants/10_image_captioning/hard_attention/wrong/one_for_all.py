# misconception: one-draw-for-all
def hard_attention(regions, weights, generator):
    i = torch.multinomial(weights[0], 1, generator=generator).item()
    index = torch.full((len(weights),), i)
    return regions[:, i], index, weights[:, i].log()
