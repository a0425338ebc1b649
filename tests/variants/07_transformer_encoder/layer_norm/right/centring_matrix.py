def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    centre = torch.eye(d, dtype=torch.float64) - 1 / d
    c = (x.double() @ centre).float()
    return c * (c.square().mean(-1)[..., None] + eps).pow(-0.5) * gamma + beta
