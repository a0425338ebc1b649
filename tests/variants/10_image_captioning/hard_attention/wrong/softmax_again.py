# misconception: softmax-again
def hard_attention(regions, weights, generator):
    p = torch.softmax(weights, dim=-1)
    index = torch.multinomial(p, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, p[rows, index].log()
