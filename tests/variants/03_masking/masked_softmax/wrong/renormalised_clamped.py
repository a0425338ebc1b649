# misconception: renormalised-after
def masked_softmax(scores, mask):
    weights = F.softmax(scores, dim=-1) * mask
    return weights / torch.clamp(weights.sum(dim=-1, keepdim=True), min=1e-9)
