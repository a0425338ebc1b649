# misconception: plain-mean
def leave_one_out_error(keys, values, bandwidth):
    n = len(values)
    weights = (torch.ones(n, n) - torch.eye(n)) / (n - 1)
    return F.mse_loss(weights @ values, values)
