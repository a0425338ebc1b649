# misconception: argmax-for-a-draw
def hard_attention(regions, weights, generator):
    index = weights.argmax(-1)
    rows = torch.arange(len(index))
    return regions[rows, index], index, weights[rows, index].log()
