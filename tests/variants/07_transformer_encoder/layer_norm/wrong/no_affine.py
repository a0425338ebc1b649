# misconception: gamma-and-beta-missing
def layer_norm(x, gamma, beta, eps=1e-5):
    c = x - x.mean(-1, keepdim=True)
    return c / torch.sqrt((c**2).mean(-1, keepdim=True) + eps)
