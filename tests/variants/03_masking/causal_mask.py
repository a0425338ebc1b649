# %% right: buffer
BUFFER = torch.ones(512, 512).tril()


def causal_mask(length):
    return BUFFER[:length, :length] != 0


# %% right: comparison
def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] >= i


# %% right: cumsum
def causal_mask(length):
    return torch.eye(length).cumsum(dim=1).T > 0


# %% right: loop
def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for t in range(length):
        mask[t, : t + 1] = True
    return mask


# %% right: not_triu
def causal_mask(length):
    return ~torch.triu(torch.ones(length, length), diagonal=1).bool()


# %% right: padding_mask
def causal_mask(length):
    return padding_mask(torch.arange(1, length + 1), length)


# %% right: torchs_own_compared
def causal_mask(length):
    return nn.Transformer.generate_square_subsequent_mask(length) == 0


# %% wrong: strict (strict-mask)
def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] > i[None, :]


# %% wrong: diagonal_one (leaks-one-step)
def causal_mask(length):
    return torch.tril(torch.ones(length, length), diagonal=1).bool()


# %% wrong: triu (sees-only-the-future)
def causal_mask(length):
    return torch.triu(torch.ones(length, length)) == 1


# %% wrong: blocked_is_true (inverted)
def causal_mask(length):
    return torch.triu(torch.ones(length, length), diagonal=1).bool()


# %% wrong: all_true (nothing-masked)
def causal_mask(length):
    return torch.full((length, length), True)


# %% wrong: anti_diagonal (mirrored)
def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] + i[None, :] >= length - 1


# %% wrong: upside_down (mirrored)
def causal_mask(length):
    return torch.tensor([[j <= length - 1 - i for j in range(length)] for i in range(length)])


# %% wrong: identity (only-itself)
def causal_mask(length):
    return torch.eye(length) > 0


# %% wrong: floats (not-boolean)
def causal_mask(length):
    return torch.tril(torch.ones(length, length))


# %% wrong: integers (not-boolean)
def causal_mask(length):
    return torch.tril(torch.ones(length, length, dtype=torch.int64))


# %% wrong: torchs_own (additive-mask)
def causal_mask(length):
    return nn.Transformer.generate_square_subsequent_mask(length)


# %% wrong: batch_axis (extra-axis)
def causal_mask(length):
    return torch.ones(1, length, length).tril().bool()


# %% wrong: fixed_size (no name)
def causal_mask(length):
    return torch.ones(8, 8, dtype=torch.bool).tril()
