# %% wrong: sum_over_the_regions_first (sum-over-regions-first)
# sums the weights over the regions instead of the words, which gives 1 everywhere: breaks "with
# sum_t over the words"
def coverage_penalty(weights):
    covered = weights.sum(dim=-1)
    return ((1 - covered) ** 2).sum(dim=-1).mean()

# %% wrong: squared_word_by_word (squared-before-summing)
# squares 1 - alpha for every word and sums afterwards: breaks "(1 - sum_t alpha_t)^2"
def coverage_penalty(weights):
    return ((1 - weights) ** 2).sum(dim=(1, 2)).mean()

# %% wrong: mean_over_everything (mean-over-regions)
# takes the mean over the regions as well: breaks "the **sum over the regions**"
def coverage_penalty(weights):
    return (1 - weights.sum(1)).pow(2).mean()

# %% wrong: only_the_overlooked (only-undershoot)
# punishes only regions that got less than 1 and clips the others: breaks "(1 - sum_t alpha_t)^2",
# where the example counts 0.25 for the 1.5
def coverage_penalty(weights):
    missing = (1 - weights.sum(dim=1)).clamp(min=0)
    return (missing**2).sum(dim=1).mean()
