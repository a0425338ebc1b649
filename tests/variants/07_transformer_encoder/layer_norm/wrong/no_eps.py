# misconception: eps-missing
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    return gamma * c / c.square().mean(-1, keepdim=True).sqrt() + beta
