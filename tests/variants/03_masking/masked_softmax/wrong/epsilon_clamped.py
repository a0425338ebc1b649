# misconception: epsilon-in-the-sum
def masked_softmax(scores, mask):
    e = torch.exp(scores) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-12)
