# misconception: -
def shift_right(targets, bos):
    first = torch.full((targets.shape[0], 2), bos)
    return torch.cat([first, targets[:, :-2]], dim=1)
