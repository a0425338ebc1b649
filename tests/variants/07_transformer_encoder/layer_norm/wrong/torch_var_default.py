# misconception: unbiased-variance
def layer_norm(x, gamma, beta, eps=1e-5):
    m = x.mean(-1, keepdim=True)
    v = x.var(-1, keepdim=True)
    return (x - m) / torch.sqrt(v + eps) * gamma + beta
