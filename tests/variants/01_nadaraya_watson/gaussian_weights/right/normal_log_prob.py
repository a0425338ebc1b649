def gaussian_weights(queries, keys, bandwidth):
    bells = torch.distributions.Normal(keys[None], bandwidth)
    return torch.softmax(bells.log_prob(queries[:, None]), -1)
