def shift_right(targets, bos):
    start = torch.full((targets.shape[0], 1), bos, dtype=targets.dtype)
    return torch.cat((start, targets[:, :-1]), dim=1)
