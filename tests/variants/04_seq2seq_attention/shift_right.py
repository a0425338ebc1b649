# %% right: cat_full
def shift_right(targets, bos):
    start = torch.full((targets.shape[0], 1), bos, dtype=targets.dtype)
    return torch.cat((start, targets[:, :-1]), dim=1)


# %% right: int32
def shift_right(targets, bos):
    targets = targets.to(torch.int32)
    return torch.column_stack([torch.full_like(targets[:, 0], bos), targets[:, :-1]])


# %% right: lists
def shift_right(targets, bos):
    return torch.tensor([[bos] + row[:-1] for row in targets.tolist()])


# %% right: pad_and_cut
def shift_right(targets, bos):
    return F.pad(targets, (1, -1), value=bos)


# %% right: roll_then_set
def shift_right(targets, bos):
    out = targets.roll(1)  # even along the flattened tensor: the first column is overwritten anyway
    out[:, 0] = bos
    return out


# %% right: where
def shift_right(targets, bos):
    steps = torch.arange(targets.shape[1])
    return torch.where(steps == 0, bos, targets[:, (steps - 1).clamp(min=0)])


# %% wrong: left (shifted-left)
def shift_right(targets, bos):
    out = targets.clone()
    out[:, :-1] = targets[:, 1:]
    out[:, -1] = bos
    return out


# %% wrong: overwritten_first (not-shifted)
def shift_right(targets, bos):
    out = targets.clone()
    out[:, 0] = bos
    return out


# %% wrong: unchanged (unchanged)
def shift_right(targets, bos):
    return targets + 0


# %% wrong: prepended (one-too-long)
def shift_right(targets, bos):
    return F.pad(targets, (1, 0), value=bos)


# %% wrong: dropped_last (one-too-short)
def shift_right(targets, bos):
    length = targets.size(1)
    return targets.narrow(1, 0, length - 1)


# %% wrong: rolled (rolled-around)
def shift_right(targets, bos):
    return torch.roll(targets, shifts=1, dims=-1)


# %% wrong: appended (bos-at-the-end)
def shift_right(targets, bos):
    rows = []
    for row in targets:
        rows.append(row[:-1].tolist() + [bos])
    return torch.tensor(rows)


# %% wrong: batch_axis (wrong-axis)
def shift_right(targets, bos):
    out = torch.roll(targets, 1, 0)
    out[0] = bos
    return out


# %% wrong: backwards (reversed)
def shift_right(targets, bos):
    past = torch.flip(targets[:, :-1], [1])
    return torch.hstack([torch.full((len(targets), 1), bos), past])


# %% wrong: always_one (fixed-bos)
def shift_right(targets, bos):
    out = torch.ones_like(targets)
    out[:, 1:] = targets[:, :-1]
    return out


# %% wrong: zeros (zeros-in-front)
def shift_right(targets, bos):
    out = torch.zeros_like(targets)
    out[:, 1:] = targets[:, :-1]
    return out


# %% wrong: in_place (changes-the-targets)
def shift_right(targets, bos):
    for t in range(targets.shape[1] - 1, 0, -1):
        targets[:, t] = targets[:, t - 1]
    targets[:, 0] = bos
    return targets


# %% wrong: decimals (decimal-ids)
def shift_right(targets, bos):
    first = torch.ones(targets.shape[0], 1) * bos
    return torch.cat([first, targets[:, :-1]], dim=1)


# %% wrong: no_return (returns-nothing)
def shift_right(targets, bos):
    out = targets.clone()
    out[:, 1:] = targets[:, :-1]
    out[:, 0] = bos


# %% wrong: by_two (no name)
def shift_right(targets, bos):
    first = torch.full((targets.shape[0], 2), bos)
    return torch.cat([first, targets[:, :-2]], dim=1)


# %% wrong: one_row (no name)
def shift_right(targets, bos):
    return torch.cat([torch.tensor([bos]), targets[0, :-1]])
