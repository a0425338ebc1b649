def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.double()
    y = y - y.mean(-1, keepdim=True)
    y = y / (y.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    return (y * gamma + beta).to(x.dtype)
