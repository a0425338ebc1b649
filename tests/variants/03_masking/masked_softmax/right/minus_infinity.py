def masked_softmax(scores, mask):
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
    return torch.nan_to_num(weights, nan=0.0)
