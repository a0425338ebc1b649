# misconception: nan-probe
def sees_the_future(layer, x):
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = float("nan")
        if layer(z)[:, :t].isnan().any():
            return True
    return False
