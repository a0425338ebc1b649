# misconception: loose-tolerance
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-2):
            return True
    return False
