# misconception: not-allowed
def normalise(x, eps):
    return nn.functional.layer_norm(x, x.shape[-1:], eps=eps)


def layer_norm(x, gamma, beta, eps=1e-5):
    return normalise(x, eps) * gamma + beta
