# misconception: argmax-for-a-draw
def hard_attention(regions, weights, generator):
    torch.rand(1, generator=generator)
    index = weights.argmax(dim=-1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()
