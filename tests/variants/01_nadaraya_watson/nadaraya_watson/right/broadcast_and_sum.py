def nadaraya_watson(queries, keys, values, bandwidth):
    z = (queries.view(-1, 1) - keys.view(1, -1)).div(bandwidth)
    log_weights = -z.pow(2).div(2)
    weights = (log_weights - log_weights.logsumexp(1, keepdim=True)).exp()
    return (weights * values.view(1, -1)).sum(1), weights
