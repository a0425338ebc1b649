def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.clone()
    y = y.sub(y.mean(-1, keepdim=True))
    return y.div((y.pow(2).mean(-1, keepdim=True) + eps).sqrt()).mul(gamma).add(beta)
