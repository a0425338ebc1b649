def masked_softmax(scores, mask):
    top = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True)
    e = torch.exp(torch.where(mask, scores - top, torch.zeros_like(scores))) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-20)
