def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.shape[1] - 1, 0, -1):
        z = x.clone()
        z[:, t:] = 2 * torch.randn_like(z[:, t:])
        if not torch.equal(layer(z)[:, :t], y[:, :t]):
            return True
    return False
