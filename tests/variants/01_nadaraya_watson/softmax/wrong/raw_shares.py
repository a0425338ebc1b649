# misconception: no-exponential
def softmax(scores, dim=-1):
    total = torch.sum(scores, dim, keepdim=True)
    return scores / total
