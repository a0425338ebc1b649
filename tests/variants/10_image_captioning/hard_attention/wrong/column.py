# misconception: column-index
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)
    rows = torch.arange(len(regions))
    return regions[rows, index[:, 0]], index, weights.gather(1, index).log().squeeze(1)
