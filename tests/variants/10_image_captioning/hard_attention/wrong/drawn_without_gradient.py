# misconception: no-gradient
def hard_attention(regions, weights, generator):
    with torch.no_grad():
        index = torch.multinomial(weights, 1, generator=generator)
        log_prob = weights.gather(1, index).log().squeeze(1)
    index = index.squeeze(1)
    return regions[torch.arange(len(index)), index], index, log_prob
