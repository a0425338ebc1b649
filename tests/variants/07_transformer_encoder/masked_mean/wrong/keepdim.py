# misconception: axis-kept
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(dim=1, keepdim=True) / m.sum(dim=1, keepdim=True).clamp(min=1)
