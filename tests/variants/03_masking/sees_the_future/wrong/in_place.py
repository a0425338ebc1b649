# misconception: changes-its-input
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.shape[1] - 1, 0, -1):
        x[:, t] += torch.randn_like(x[:, t])
        if not torch.allclose(layer(x)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False
