# misconception: only-the-last-step
def sees_the_future(layer, x):
    if x.shape[1] == 1:
        return False
    z = x.clone()
    z[:, -1] += torch.randn_like(z[:, -1])
    return not torch.allclose(layer(z)[:, :-1], layer(x)[:, :-1], atol=1e-6)
