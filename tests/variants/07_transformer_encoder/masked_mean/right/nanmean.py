def masked_mean(x, mask):
    out = x.masked_fill(~mask[..., None], torch.nan).nanmean(1)
    return torch.where(mask.any(1, keepdim=True), out, torch.zeros_like(out))
