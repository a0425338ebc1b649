def sees_the_future(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    for t in range(x.shape[1] - 1):
        (g,) = torch.autograd.grad((y[:, t] * torch.randn_like(y[:, t])).sum(), x, retain_graph=True)
        if g[:, t + 1 :].abs().max() > 0:
            return True
    return False
