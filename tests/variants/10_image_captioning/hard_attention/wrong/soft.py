# misconception: soft-context
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    context = (weights.unsqueeze(-1) * regions).sum(1)
    return context, index, weights[rows, index].log()
