def masked_softmax(scores, mask):
    filled = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    return F.softmax(filled, dim=-1).masked_fill(~mask, 0)
