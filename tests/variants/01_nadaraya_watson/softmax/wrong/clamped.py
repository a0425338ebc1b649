# misconception: clamped-scores
def softmax(scores, dim=-1):
    e = torch.exp(scores.clamp(-80, 80))
    return e / e.sum(dim, keepdim=True)
