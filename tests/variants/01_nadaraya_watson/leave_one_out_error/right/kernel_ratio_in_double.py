def leave_one_out_error(keys, values, bandwidth):
    k, v = keys.double(), values.double()
    log_kernel = -((k[:, None] - k) ** 2) / (2 * bandwidth.double() ** 2)
    log_kernel = log_kernel.fill_diagonal_(-math.inf)
    weights = (log_kernel - log_kernel.logsumexp(-1, keepdim=True)).exp()
    return ((weights @ v - v) ** 2).mean().float()
