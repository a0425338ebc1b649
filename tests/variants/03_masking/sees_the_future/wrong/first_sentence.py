# misconception: first-sentence-only
def sees_the_future(layer, x):
    y = layer(x)[0]
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z)[0, :t], y[:t], atol=1e-6):
            return True
    return False
