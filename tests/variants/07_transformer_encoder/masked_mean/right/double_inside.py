def masked_mean(x, mask):
    m = mask.double()[..., None]
    n = m.sum(1)
    return torch.where(n > 0, (x.double() * m).sum(1) / n.clamp(min=1), 0.0).float()
