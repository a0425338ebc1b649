def sees_the_future(layer, x):
    jac = torch.autograd.functional.jacobian(layer, x.detach())  # (B, T, E, B, T, D)
    influence = jac.abs().sum(dim=(0, 2, 3, 5))  # (T, T): output step, input step
    return bool(influence.triu(1).max() > 0)
