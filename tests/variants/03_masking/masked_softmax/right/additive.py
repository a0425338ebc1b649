def masked_softmax(scores, mask):
    bias = torch.zeros(mask.shape).masked_fill(~mask, -1e9)
    return (scores + bias).softmax(-1) * mask.float()
