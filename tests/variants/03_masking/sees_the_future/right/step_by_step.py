def sees_the_future(layer, x):
    T = x.size(1)
    y = layer(x)
    for s in range(1, T):
        changed = x.clone()
        changed[:, s] = changed[:, s] + torch.randn(x.size(0), x.size(2))
        difference = (layer(changed) - y).abs().amax(dim=(0, 2))  # (T,)
        if bool((difference[:s] > 1e-7).any()):
            return True
    return False
