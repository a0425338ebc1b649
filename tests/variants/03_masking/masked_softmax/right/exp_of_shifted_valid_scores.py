def masked_softmax(scores, mask):
    top = scores.masked_fill(~mask, -torch.inf).amax(-1, keepdim=True)
    e = torch.exp((scores - torch.where(top.isfinite(), top, torch.zeros_like(top))).clamp(max=0)) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-20)
