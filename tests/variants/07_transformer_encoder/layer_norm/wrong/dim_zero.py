# misconception: first-axis
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=0)
    var = ((x - mean) ** 2).mean(dim=0)
    return gamma * (x - mean) / torch.sqrt(var + eps) + beta
