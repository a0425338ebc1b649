# %% wrong: negative_slice (no name)
# switches off the last max_len - n places with a negative slice, and for a full sentence -0
# switches off everything; breaks "True on real tokens" (example: length 4 of 4 is all True)
def padding_mask(lengths, max_len):
    mask = torch.ones(len(lengths), max_len, dtype=torch.bool)
    for b, n in enumerate(lengths.tolist()):
        padding = max_len - n
        mask[b, -padding:] = False
    return mask

# %% wrong: as_long_as_the_longest (length-from-the-batch)
# makes as many columns as the longest sentence needs; breaks "`max_len` may be larger than the
# longest sentence"
def padding_mask(lengths, max_len):
    positions = torch.arange(lengths.max())
    return positions[None, :] < lengths[:, None]

# %% wrong: ones_and_zeros (not-boolean)
# returns a mask of floats 1 and 0 instead of booleans; breaks "Return a boolean (B, max_len)
# tensor"
def padding_mask(lengths, max_len):
    mask = torch.zeros(lengths.shape[0], max_len)
    for i in range(lengths.shape[0]):
        mask[i, :lengths[i]] = 1
    return mask

# %% right: running_sum_of_one_hot
# marks the first padded place with one_hot and lets a running sum spread it to the right
def padding_mask(lengths, max_len):
    ended = F.one_hot(lengths, max_len + 1).cumsum(dim=1)
    return ended[:, :max_len].logical_not()
