# misconception: eps-outside
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(dim=-1, keepdim=True)
    std = c.pow(2).mean(dim=-1, keepdim=True).sqrt()
    return c / (std + eps) * gamma + beta
