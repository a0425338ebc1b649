# misconception: unbiased-variance
def layer_norm(x, gamma, beta, eps=1e-5):
    n = x.size(-1)
    d = x - x.sum(-1, keepdim=True) / n
    return gamma * d * torch.rsqrt((d * d).sum(-1, keepdim=True) / (n - 1) + eps) + beta
