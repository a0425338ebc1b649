# misconception: decimal-ids
def shift_right(targets, bos):
    first = torch.ones(targets.shape[0], 1) * bos
    return torch.cat([first, targets[:, :-1]], dim=1)
