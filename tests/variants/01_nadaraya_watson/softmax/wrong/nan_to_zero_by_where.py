# misconception: nan-swept-away
def softmax(scores, dim=-1):
    weights = scores.exp() / scores.exp().sum(dim, keepdim=True)
    return torch.where(weights.isnan(), torch.zeros_like(weights), weights)
