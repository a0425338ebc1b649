# misconception: time-and-features
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean((-2, -1), keepdim=True)
    var = ((x - mean) ** 2).mean((-2, -1), keepdim=True)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta
