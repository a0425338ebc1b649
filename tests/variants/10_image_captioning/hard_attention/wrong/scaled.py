# misconception: scaled-context
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    p = weights[rows, index]
    return p[:, None] * regions[rows, index], index, p.log()
