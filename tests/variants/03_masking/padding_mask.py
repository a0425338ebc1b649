# %% right: broadcast
def padding_mask(lengths, max_len):
    return lengths.unsqueeze(1) > torch.arange(max_len)


# %% right: cumsum
def padding_mask(lengths, max_len):
    counted = torch.ones(len(lengths), max_len).cumsum(1)
    return ~(counted > lengths[:, None])


# %% right: loop
def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len, dtype=torch.bool)
    for row, n in zip(mask, lengths):
        row[:n] = True
    return mask


# %% right: lower_triangle
def padding_mask(lengths, max_len):
    rows = torch.ones(max_len + 1, max_len).tril(-1)  # row n has n ones
    return rows[lengths].bool()


# %% right: nested_lists
def padding_mask(lengths, max_len):
    return torch.tensor([[t < int(n) for t in range(max_len)] for n in lengths])


# %% wrong: less_or_equal (one-too-many)
def padding_mask(lengths, max_len):
    positions = torch.arange(max_len).unsqueeze(0)
    return positions <= lengths.unsqueeze(1)


# %% wrong: from_one (one-too-few)
def padding_mask(lengths, max_len):
    return torch.stack([torch.arange(1, max_len + 1) < n for n in lengths])


# %% wrong: true_is_padding (inverted)
def padding_mask(lengths, max_len):
    return torch.arange(max_len)[None, :] >= lengths[:, None]


# %% wrong: integers (not-boolean)
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None]).long()


# %% wrong: ones_and_zeros (not-boolean)
def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len)
    for i, n in enumerate(lengths):
        mask[i, :n] = 1
    return mask


# %% wrong: minus_infinity (additive-mask)
def padding_mask(lengths, max_len):
    mask = torch.full((len(lengths), max_len), float("-inf"))
    for i, n in enumerate(lengths.tolist()):
        mask[i, :n] = 0.0
    return mask


# %% wrong: longest_of_the_batch (length-from-the-batch)
def padding_mask(lengths, max_len):
    return torch.arange(lengths.max())[None] < lengths[:, None]


# %% wrong: left_padding (padded-on-the-left)
def padding_mask(lengths, max_len):
    return torch.arange(max_len)[None] >= (max_len - lengths)[:, None]


# %% wrong: transposed (transposed)
def padding_mask(lengths, max_len):
    return torch.arange(max_len)[:, None] < lengths[None, :]


# %% wrong: longest_for_all (one-length-for-all)
def padding_mask(lengths, max_len):
    mask = torch.zeros(len(lengths), max_len, dtype=torch.bool)
    mask[:, : lengths.max()] = True
    return mask


# %% wrong: extra_axis (extra-axis)
def padding_mask(lengths, max_len):
    return (torch.arange(max_len) < lengths[:, None]).unsqueeze(1)


# %% wrong: no_broadcast (no name)
def padding_mask(lengths, max_len):
    return torch.arange(max_len) < lengths
