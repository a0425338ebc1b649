# misconception: -
def shift_right(targets, bos):
    return torch.cat([torch.tensor([bos]), targets[0, :-1]])
