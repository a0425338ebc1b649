# misconception: argmax-for-a-draw
def hard_attention(regions, weights, generator):
    best, index = weights.max(dim=1)
    return regions[torch.arange(len(index)), index], index, best.log()
