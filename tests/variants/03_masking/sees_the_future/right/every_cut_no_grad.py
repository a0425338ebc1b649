@torch.no_grad()
def sees_the_future(layer, x):
    before = layer(x)
    leaks = torch.tensor(False)
    for t in range(x.shape[1] - 1):
        after = layer(torch.cat([x[:, : t + 1], torch.rand_like(x[:, t + 1 :]) * 4 - 2], dim=1))
        leaks = leaks | ~torch.isclose(after[:, : t + 1], before[:, : t + 1], atol=1e-6).all()
    return leaks
