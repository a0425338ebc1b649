# misconception: not-renormalised
def leave_one_out_error(keys, values, bandwidth):
    weights = gaussian_weights(keys, keys, bandwidth)
    weights = weights - torch.diag(torch.diagonal(weights))
    return torch.mean((weights @ values - values) ** 2)
