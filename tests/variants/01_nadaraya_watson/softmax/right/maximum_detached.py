def softmax(scores, dim=-1):
    shift = scores.max(dim=dim, keepdim=True)[0].detach()
    e = torch.exp(scores - shift)
    return torch.div(e, torch.sum(e, dim, keepdim=True))
