# misconception: not-allowed
def hard_attention(regions, weights, generator):
    torch.manual_seed(generator.initial_seed())
    choice = torch.distributions.Categorical(probs=weights)
    index = choice.sample()
    return regions[torch.arange(len(index)), index], index, choice.log_prob(index)
