# misconception: keepdim-forgotten
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = torch.mean(x, dim=-1)
    std = torch.sqrt(torch.var(x, dim=-1, unbiased=False) + eps)
    return gamma * (x - mean) / std + beta
