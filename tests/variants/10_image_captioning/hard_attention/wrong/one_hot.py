# misconception: one-hot-index
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    choice = F.one_hot(index, weights.shape[1])
    context = (choice.unsqueeze(-1) * regions).sum(1)
    return context, choice, (choice * weights).sum(1).log()
