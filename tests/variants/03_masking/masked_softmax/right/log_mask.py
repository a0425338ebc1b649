def masked_softmax(scores, mask):
    weights = (scores + mask.float().log()).softmax(-1)
    return torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights))
