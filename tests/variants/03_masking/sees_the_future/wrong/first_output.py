# misconception: only-the-first-output
def sees_the_future(layer, x):
    z = x.clone()
    z[:, 1:] += torch.randn_like(z[:, 1:])
    return not torch.allclose(layer(z)[:, 0], layer(x)[:, 0], atol=1e-6)
