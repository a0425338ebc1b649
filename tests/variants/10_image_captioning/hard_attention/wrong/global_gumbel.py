# misconception: not-allowed
def hard_attention(regions, weights, generator):
    noise = -torch.log(-torch.log(torch.rand(weights.shape)))
    index = (weights.log() + noise).argmax(-1)
    rows = torch.arange(len(index))
    return regions[rows, index], index, weights[rows, index].log()
