# misconception: gamma-first
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x * gamma + beta
    m = y.mean(-1, keepdim=True)
    return (y - m) / torch.sqrt(((y - m) ** 2).mean(-1, keepdim=True) + eps)
