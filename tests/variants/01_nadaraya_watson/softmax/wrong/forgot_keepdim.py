# misconception: missing-keepdim
def softmax(scores, dim=-1):
    m = torch.max(scores, dim=dim, keepdim=True)[0]
    numerator = torch.exp(scores - m)
    denominator = numerator.sum(dim=dim)
    return numerator / denominator
