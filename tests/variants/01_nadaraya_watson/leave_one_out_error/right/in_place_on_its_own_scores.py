def leave_one_out_error(keys, values, bandwidth):
    n = keys.numel()
    scores = keys.view(n, 1) - keys.view(1, n)
    scores = -scores.pow(2) / bandwidth.pow(2) / 2
    scores[torch.arange(n), torch.arange(n)] = torch.finfo(scores.dtype).min
    residuals = values - torch.einsum("ij,j->i", scores.softmax(-1), values)
    return (residuals @ residuals) / n
