def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(index))
    return regions[rows, index], index, torch.distributions.Categorical(probs=weights).log_prob(index)
