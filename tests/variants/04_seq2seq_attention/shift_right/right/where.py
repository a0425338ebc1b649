def shift_right(targets, bos):
    steps = torch.arange(targets.shape[1])
    return torch.where(steps == 0, bos, targets[:, (steps - 1).clamp(min=0)])
