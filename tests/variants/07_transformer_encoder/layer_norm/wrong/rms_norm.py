# misconception: mean-kept
def layer_norm(x, gamma, beta, eps=1e-5):
    rms = torch.sqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return x / rms * gamma + beta
