# misconception: -
def sees_the_future(layer, x):
    y = layer(x)
    for b in range(1, x.shape[0]):
        z = x.clone()
        z[b:] += torch.randn_like(z[b:])
        if not torch.allclose(layer(z)[:b], y[:b], atol=1e-6):
            return True
    return False
