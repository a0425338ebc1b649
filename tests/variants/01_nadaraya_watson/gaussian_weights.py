# %% right: axis_left_to_torch
def gaussian_weights(queries, keys, bandwidth):
    # deprecated, but for a matrix torch does take the last axis
    return F.softmax(-((queries[:, None] - keys) ** 2) / (2 * bandwidth**2))


# %% right: broadcast_by_repeat
def gaussian_weights(queries, keys, bandwidth):
    a = queries.repeat_interleave(keys.shape[0]).reshape(-1, keys.shape[0])
    scores = -torch.square(a - keys) / 2 / bandwidth / bandwidth
    return nn.Softmax(dim=1)(scores)


# %% right: keys_first
def gaussian_weights(queries, keys, bandwidth):
    scores = -((keys[:, None] - queries[None, :]) ** 2) / (2 * bandwidth**2)  # (K, Q)
    return softmax(scores, dim=0).T


# %% right: loop
def gaussian_weights(queries, keys, bandwidth):
    rows = []
    for q in queries:
        scores = []
        for k in keys:
            scores.append(-((q - k) ** 2) / (2 * bandwidth ** 2))
        rows.append(softmax(torch.stack(scores)))
    return torch.stack(rows)


# %% right: normal_density
def gaussian_weights(queries, keys, bandwidth):
    log_density = torch.distributions.Normal(keys, bandwidth).log_prob(queries[:, None])
    return torch.exp(log_density - log_density.logsumexp(1, keepdim=True))


# %% right: normal_log_prob
def gaussian_weights(queries, keys, bandwidth):
    bells = torch.distributions.Normal(keys[None], bandwidth)
    return torch.softmax(bells.log_prob(queries[:, None]), -1)


# %% right: query_term_dropped
def gaussian_weights(queries, keys, bandwidth):
    # q^2 is the same for all keys of a row, and softmax does not see it
    q, k = queries.double()[:, None], keys.double()[None, :]
    scores = (2 * q * k - k**2) / (2 * bandwidth**2)
    return torch.softmax(scores, dim=1).to(queries.dtype)


# %% right: scaled_first
def gaussian_weights(queries, keys, bandwidth):
    z = queries[:, None] / bandwidth - keys[None, :] / bandwidth
    return torch.softmax(-0.5 * z.square(), dim=-1)


# %% right: vmapped
def gaussian_weights(queries, keys, bandwidth):
    def row(q):
        return F.softmax(-(q - keys) ** 2 / (2 * bandwidth ** 2), dim=0)

    return torch.vmap(row)(queries)


# %% wrong: minus_in_pow (lost-minus)
def gaussian_weights(queries, keys, bandwidth):
    diff = queries[:, None] - keys[None, :]
    return softmax(torch.pow(-diff / bandwidth, 2) / 2)


# %% wrong: minus_inside (lost-minus)
def gaussian_weights(queries, keys, bandwidth):
    diff = queries[:, None] - keys
    scores = (-diff) ** 2 / (2 * bandwidth ** 2)
    return softmax(scores, dim=-1)


# %% wrong: plus (distance-as-similarity)
def gaussian_weights(queries, keys, bandwidth):
    d = queries.unsqueeze(1) - keys.unsqueeze(0)
    return torch.softmax(d.pow(2) / (2 * bandwidth ** 2), dim=1)


# %% wrong: abs_over_two_squares (laplace-kernel)
def gaussian_weights(queries, keys, bandwidth):
    return torch.softmax(-(queries[:, None] - keys).abs() / (2 * bandwidth**2), -1)


# %% wrong: absolute (laplace-kernel)
def gaussian_weights(queries, keys, bandwidth):
    return softmax(-torch.abs(queries[:, None] - keys) / bandwidth)


# %% wrong: scores_only (no-softmax)
def gaussian_weights(queries, keys, bandwidth):
    difference = queries.reshape(-1, 1) - keys.reshape(1, -1)
    return -0.5 * (difference / bandwidth) ** 2


# %% wrong: kernel_only (not-normalised)
def gaussian_weights(queries, keys, bandwidth):
    z = (queries[:, None] - keys[None, :]) / bandwidth
    return torch.exp(-0.5 * z * z)


# %% wrong: exp_then_softmax (exponentiated-twice)
def gaussian_weights(queries, keys, bandwidth):
    z = (queries[:, None] - keys[None, :]) / bandwidth
    kernel = torch.exp(-z ** 2 / 2)
    return softmax(kernel, dim=-1)


# %% wrong: times_bandwidth (bandwidth-inverted)
def gaussian_weights(queries, keys, bandwidth):
    scores = -((queries[:, None] - keys) * bandwidth) ** 2 / 2
    return F.softmax(scores, dim=1)


# %% wrong: no_two (missing-half)
def gaussian_weights(queries, keys, bandwidth):
    scores = -((queries[:, None] - keys[None, :]) / bandwidth) ** 2
    return softmax(scores)


# %% wrong: two_sigma (bandwidth-not-squared)
def gaussian_weights(queries, keys, bandwidth):
    sq = torch.square(queries[:, None] - keys[None, :])
    return softmax(-sq / (2 * bandwidth))


# %% wrong: choice_formula (bandwidth-ignored)
def gaussian_weights(queries, keys, bandwidth):
    return F.softmax(-(queries[:, None] - keys) ** 2, dim=-1)


# %% wrong: unit_width (bandwidth-ignored)
def gaussian_weights(queries, keys, bandwidth):
    d2 = (queries[:, None] - keys) ** 2
    return softmax(-d2 / 2, dim=-1)


# %% wrong: nearest (one-nearest-neighbour)
def gaussian_weights(queries, keys, bandwidth):
    weights = torch.zeros(len(queries), len(keys))
    for i in range(len(queries)):
        weights[i, torch.argmin((queries[i] - keys).abs())] = 1.0
    return weights


# %% wrong: shepard (inverse-distance)
def gaussian_weights(queries, keys, bandwidth):
    inverse = (queries[:, None] - keys[None, :]) ** -2
    return inverse / inverse.sum(1, keepdim=True)


# %% wrong: rows_are_keys (transposed)
def gaussian_weights(queries, keys, bandwidth):
    scores = -((keys[:, None] - queries[None, :]) ** 2) / (2 * bandwidth**2)  # (K, Q)
    return softmax(scores, dim=0)


# %% wrong: over_queries (softmax-over-queries)
def gaussian_weights(queries, keys, bandwidth):
    scores = -((queries[:, None] - keys[None, :]) ** 2) / (2 * bandwidth ** 2)
    return torch.softmax(scores, 0)


# %% wrong: paired_off (no-outer-difference)
def gaussian_weights(queries, keys, bandwidth):
    scores = -(queries - keys) ** 2 / (2 * bandwidth ** 2)
    return softmax(scores)


# %% wrong: plain_ratio (underflow)
def gaussian_weights(queries, keys, bandwidth):
    z = (queries[:, None] - keys[None, :]) / bandwidth
    kernel = torch.exp(-z ** 2 / 2)
    return kernel / kernel.sum(dim=1, keepdim=True)


# %% wrong: bandwidth_as_number (no-gradient)
def gaussian_weights(queries, keys, bandwidth):
    width = float(bandwidth)
    with torch.no_grad():
        scores = -((queries[:, None] - keys[None, :]) ** 2) / (2 * width ** 2)
    return softmax(scores)


# %% wrong: epsilon_in_the_sum (underflow)
def gaussian_weights(queries, keys, bandwidth):
    kernel = torch.exp(-((queries[:, None] - keys) / bandwidth) ** 2 / 2)
    return kernel / (kernel.sum(1, keepdim=True) + 1e-12)


# %% wrong: integer_scores (no name)
def gaussian_weights(queries, keys, bandwidth):
    d = (queries[:, None] - keys[None, :]).long()
    return softmax(-(d ** 2) / (2 * bandwidth ** 2))


# %% wrong: list_of_rows (no name)
def gaussian_weights(queries, keys, bandwidth):
    return [softmax(-((q - keys) ** 2) / (2 * bandwidth ** 2)) for q in queries]


# %% wrong: keys_ask (transposed)
def gaussian_weights(queries, keys, bandwidth):
    return softmax(-((keys[:, None] - queries) ** 2) / (2 * bandwidth**2), dim=-1)
