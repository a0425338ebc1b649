def shift_right(targets, bos):
    return torch.tensor([[bos] + row[:-1] for row in targets.tolist()])
