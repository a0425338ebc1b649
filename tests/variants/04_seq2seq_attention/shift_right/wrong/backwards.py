# misconception: reversed
def shift_right(targets, bos):
    past = torch.flip(targets[:, :-1], [1])
    return torch.hstack([torch.full((len(targets), 1), bos), past])
