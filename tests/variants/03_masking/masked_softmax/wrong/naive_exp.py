# misconception: overflow
def masked_softmax(scores, mask):
    e = torch.exp(scores) * mask
    total = e.sum(-1, keepdim=True)
    return torch.where(total > 0, e / total, torch.zeros_like(e)).nan_to_num(0.0)
