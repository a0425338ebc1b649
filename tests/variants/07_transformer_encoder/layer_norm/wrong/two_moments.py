# misconception: cancellation
def layer_norm(x, gamma, beta, eps=1e-5):
    m1 = x.mean(-1, keepdim=True)
    m2 = (x**2).mean(-1, keepdim=True)
    return gamma * (x - m1) * torch.rsqrt(m2 - m1**2 + eps) + beta
