def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    c = x - x.sum(-1, keepdim=True) / d
    length2 = torch.einsum("...i,...i->...", c, c).unsqueeze(-1)
    return gamma * math.sqrt(d) * c / torch.sqrt(length2 + d * eps) + beta
