# misconception: not-allowed
def hard_attention(regions, weights, generator):
    choice = torch.distributions.Categorical(probs=weights)
    index = choice.sample()
    return regions[torch.arange(len(regions)), index], index, choice.log_prob(index)
