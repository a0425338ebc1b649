# %% wrong: true_means_blocked (inverted)
# builds the mask as nn.Transformer wants it, True where it is forbidden; breaks "**True means:
# may attend**"
def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)

# %% wrong: minus_infinity_mask (additive-mask)
# returns the additive mask of 0 and -inf; breaks "a boolean (T, T) tensor"
def causal_mask(length):
    mask = torch.zeros(length, length)
    future = torch.ones(length, length).triu(1) == 1
    return mask.masked_fill(future, float("-inf"))

# %% wrong: only_the_past (strict-mask)
# lets a step see only earlier ones, and the first step itself because it has no others; breaks
# "Itself included"
def causal_mask(length):
    mask = torch.ones(length, length, dtype=torch.bool).tril(-1)
    mask[0, 0] = True
    return mask
