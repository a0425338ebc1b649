# %% wrong: shifts_the_targets_themselves (changes-the-targets)
# writes into the tensor that was passed in; breaks "Functions must not change the tensors that
# they are given"
def shift_right(targets, bos):
    inputs = targets
    inputs[:, 1:] = targets[:, :-1].clone()
    inputs[:, 0] = bos
    return inputs

# %% wrong: float_ids (decimal-ids)
# creates the result with torch.zeros and forgets the dtype; breaks "(B, T) whole numbers → (B, T)
# whole numbers"
def shift_right(targets, bos):
    B, T = targets.shape
    shifted = torch.zeros(B, T)
    shifted[:, 0] = bos
    shifted[:, 1:] = targets[:, :-1]
    return shifted

# %% wrong: padding_stays (no name)
# keeps the padding (0) in its place and moves only the words; breaks "Padding is moved like any
# other token" (example: the 5 moves onto the place of the 0)
def shift_right(targets, bos):
    first = torch.full_like(targets[:, :1], bos)
    moved = torch.cat([first, targets[:, :-1]], dim=1)
    return torch.where(targets == 0, targets, moved)

# %% right: roll_the_flat_tensor
# rolls the whole batch as one long sequence, since the places where rows meet are overwritten
# anyway
def shift_right(targets, bos):
    rolled = torch.roll(targets, 1)
    rolled[:, 0] = bos
    return rolled
