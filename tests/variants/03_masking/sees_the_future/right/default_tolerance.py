def sees_the_future(layer, x):
    B, T, D = x.shape
    for now in range(T):
        for later in range(now + 1, T):
            z = x.clone()
            z[:, later, :] += torch.randn(B, D) * 3
            if not torch.allclose(layer(z)[:, now], layer(x)[:, now]):
                return True
    return False
