def gaussian_weights(queries, keys, bandwidth):
    log_density = torch.distributions.Normal(keys, bandwidth).log_prob(queries[:, None])
    return torch.exp(log_density - log_density.logsumexp(1, keepdim=True))
