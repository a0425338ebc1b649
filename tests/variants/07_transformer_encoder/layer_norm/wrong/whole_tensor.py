# misconception: over-everything
def layer_norm(x, gamma, beta, eps=1e-5):
    x = (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + eps)
    return x * gamma + beta
