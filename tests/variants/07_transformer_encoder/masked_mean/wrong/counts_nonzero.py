# misconception: zeros-skipped
def masked_mean(x, mask):
    y = x * mask.unsqueeze(-1)
    count = torch.count_nonzero(y, dim=1).clamp(min=1)
    return y.sum(1) / count
