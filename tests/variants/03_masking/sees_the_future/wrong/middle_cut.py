# misconception: one-cut
def sees_the_future(layer, x):
    t = x.shape[1] // 2
    if t == 0:
        return False
    z = x.clone()
    z[:, t:] += torch.randn_like(z[:, t:])
    return bool((layer(z)[:, :t] - layer(x)[:, :t]).abs().max() > 1e-6)
