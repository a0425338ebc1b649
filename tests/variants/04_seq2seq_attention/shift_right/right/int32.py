def shift_right(targets, bos):
    targets = targets.to(torch.int32)
    return torch.column_stack([torch.full_like(targets[:, 0], bos), targets[:, :-1]])
