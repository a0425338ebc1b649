# misconception: uniform-draw
def hard_attention(regions, weights, generator):
    index = torch.randint(weights.shape[1], (len(weights),), generator=generator)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()
