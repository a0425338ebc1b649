# misconception: fixed-axis
def softmax(scores, dim=-1):
    z = scores - scores.max(1, keepdim=True)[0]
    z = torch.exp(z)
    return z / z.sum(1, keepdim=True)
