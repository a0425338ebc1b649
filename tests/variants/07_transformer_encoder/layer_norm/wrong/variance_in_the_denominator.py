# misconception: no-root
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    var = c.square().mean(-1, keepdim=True)
    return gamma * (c / (var + eps)) + beta
