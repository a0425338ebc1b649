# misconception: changes-its-input
def layer_norm(x, gamma, beta, eps=1e-5):
    x -= x.mean(-1, keepdim=True)
    x /= torch.sqrt((x * x).mean(-1, keepdim=True) + eps)
    return x * gamma + beta
