# misconception: negative-log
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, F.nll_loss(weights.log(), index, reduction="none")
