def softmax(scores, dim=-1):
    s = scores.transpose(dim, 0)
    e = torch.exp(s - s.max(0).values)
    return (e / e.sum(0)).transpose(0, dim)
