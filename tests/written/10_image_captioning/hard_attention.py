# %% wrong: generator_unused (not-allowed)
# draws from torch's global generator: breaks "Draw with the given `torch.Generator` … so that a
# generator with the same seed gives the same draws again"
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1).squeeze(1)
    rows = torch.arange(len(index))
    return regions[rows, index], index, weights[rows, index].log()

# %% wrong: weights_taken_for_scores (softmax-again)
# takes the log softmax of the weights, though they are probabilities already: breaks "`log_prob
# (B,)`, the logarithm of the weight of each drawn region"
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, num_samples=1, generator=generator)  # (B, 1)
    log_prob = F.log_softmax(weights, dim=-1).gather(1, index).squeeze(1)
    index = index.squeeze(1)
    context = regions[torch.arange(regions.shape[0]), index]
    return context, index, log_prob

# %% wrong: context_weighted (scaled-context)
# multiplies the drawn region by its weight so that "gradients flow": breaks "`context (B, D)`,
# the drawn regions as they are"
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)[:, 0]
    rows = torch.arange(regions.shape[0])
    chosen = weights[rows, index]
    context = chosen.unsqueeze(-1) * regions[rows, index]
    return context, index, torch.log(chosen)

# %% wrong: squeezed_too_much (no name)
# squeezes without naming the axis, so that for a batch of one the batch axis goes as well: breaks
# "`context (B, D)` … `index (B,)` … `log_prob (B,)`"
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)  # (B, 1)
    log_prob = weights.gather(1, index).log().squeeze()
    where = index.unsqueeze(-1).expand(-1, -1, regions.shape[-1])
    context = regions.gather(1, where).squeeze()
    return context, index.squeeze(), log_prob

# %% right: exponential_race
# draws by a race of exponential clocks, the region that rings first wins; one-hot products
# instead of indexing
def hard_attention(regions, weights, generator):
    clocks = torch.empty_like(weights).exponential_(generator=generator)
    index = (weights / clocks).argmax(dim=1)
    chosen = F.one_hot(index, weights.shape[1]).bool()
    return regions[chosen], index, weights[chosen].log()

# %% wrong: index_keeps_an_axis (column-index)
# returns the numbers as multinomial gives them, with shape (B, 1): breaks "`index (B,)`"
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)
    context = regions.gather(1, index.unsqueeze(-1).expand(-1, -1, regions.shape[-1])).squeeze(1)
    log_prob = weights.gather(1, index).squeeze(1).log()
    return context, index, log_prob
