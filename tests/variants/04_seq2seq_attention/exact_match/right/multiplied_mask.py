def exact_match(predicted, target, pad):
    mask = target.ne(pad)
    return torch.mean(((predicted * mask) == (target * mask)).all(1), dtype=torch.float32)
