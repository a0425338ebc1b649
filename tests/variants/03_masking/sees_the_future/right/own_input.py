def sees_the_future(layer, x):
    g = torch.Generator().manual_seed(7)
    a, b = torch.randn(x.shape, generator=g), torch.randn(x.shape, generator=g)
    for t in range(1, x.shape[1]):
        mixed = torch.cat([a[:, :t], b[:, t:]], dim=1)
        if (layer(mixed)[:, :t] - layer(a)[:, :t]).abs().max().item() > 1e-6:
            return True
    return False
