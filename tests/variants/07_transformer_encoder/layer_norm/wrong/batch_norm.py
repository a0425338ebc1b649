# misconception: batch-statistics
def layer_norm(x, gamma, beta, eps=1e-5):
    flat = x.reshape(-1, x.shape[-1])
    flat = (flat - flat.mean(0)) / (flat.var(0, unbiased=False) + eps).sqrt()
    return gamma * flat.reshape(x.shape) + beta
