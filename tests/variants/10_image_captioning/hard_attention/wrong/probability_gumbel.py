# misconception: probability-not-log
def hard_attention(regions, weights, generator):
    g = -torch.log(-torch.log(torch.rand(weights.shape, generator=generator)))
    index = (weights.log() + g).argmax(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights.gather(1, index[:, None]).squeeze(1)
