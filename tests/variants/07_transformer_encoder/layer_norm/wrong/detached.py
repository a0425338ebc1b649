# misconception: no-gradient
def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.detach()
    m, s = d.mean(-1, keepdim=True), torch.sqrt(d.var(-1, unbiased=False, keepdim=True) + eps)
    return gamma * (x - m) / s + beta
