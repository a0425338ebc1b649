def sees_the_future(layer, x):
    whole = layer(x)
    return any(not torch.allclose(layer(x[:, :t]), whole[:, :t], atol=1e-6) for t in range(1, x.shape[1]))
