def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.movedim(-1, 0)
    y = y - y.mean(0)
    y = y / (y.square().mean(0) + eps).sqrt()
    return y.movedim(0, -1) * gamma + beta
