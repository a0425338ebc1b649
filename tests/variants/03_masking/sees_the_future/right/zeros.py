def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = 0
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False
