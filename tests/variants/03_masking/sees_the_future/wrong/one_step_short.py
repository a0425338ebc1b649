# misconception: misses-one-step
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.shape[1]):
        z = x.clone()
        z[:, t + 1 :] = torch.randn_like(z[:, t + 1 :])
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False
