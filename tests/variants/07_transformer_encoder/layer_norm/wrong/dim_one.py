# misconception: axis-one
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(1, keepdim=True)
    var = x.var(1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta
