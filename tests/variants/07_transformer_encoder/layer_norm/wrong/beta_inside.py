# misconception: beta-scaled
def layer_norm(x, gamma, beta, eps=1e-5):
    m = x.mean(-1, keepdim=True)
    s = torch.sqrt(((x - m) ** 2).mean(-1, keepdim=True) + eps)
    return ((x - m) / s + beta) * gamma
