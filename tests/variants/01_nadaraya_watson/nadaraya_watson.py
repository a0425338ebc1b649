# %% right: broadcast_and_sum
def nadaraya_watson(queries, keys, values, bandwidth):
    z = (queries.view(-1, 1) - keys.view(1, -1)).div(bandwidth)
    log_weights = -z.pow(2).div(2)
    weights = (log_weights - log_weights.logsumexp(1, keepdim=True)).exp()
    return (weights * values.view(1, -1)).sum(1), weights


# %% right: double_inside
def nadaraya_watson(queries, keys, values, bandwidth):
    w = gaussian_weights(queries.double(), keys.double(), bandwidth)
    y = (w @ values.double().unsqueeze(-1)).squeeze(-1)
    return [y.float(), w.float()]


# %% right: einsum
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    return torch.einsum("qk,k->q", weights, values), weights


# %% right: keys_by_queries
def nadaraya_watson(queries, keys, values, bandwidth):
    dists = keys.reshape((-1, 1)) - queries.reshape((1, -1))
    attention = torch.softmax(-dists**2 / (2 * bandwidth**2), dim=0)
    return values @ attention, attention.T


# %% right: loop
def nadaraya_watson(queries, keys, values, bandwidth):
    predictions, rows = [], []
    for q in queries:
        row = gaussian_weights(q[None], keys, bandwidth)[0]
        predictions.append(sum(w * v for w, v in zip(row, values)))
        rows.append(row)
    return torch.stack(predictions), torch.stack(rows)


# %% right: matrix_product
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    return weights @ values, weights


# %% right: shifted_kernel
def nadaraya_watson(queries, keys, values, bandwidth):
    d2 = (queries[:, None] - keys[None, :]) ** 2
    # The nearest has 1: no underflow
    kernel = torch.exp(-(d2 - d2.min(1, keepdim=True).values) / (2 * bandwidth**2))
    total = kernel.sum(1)
    return (kernel * values).sum(1) / total, kernel / total[:, None]


# %% wrong: mean (mean-instead-of-sum)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    predictions = torch.mean(weights * values, dim=1)
    return predictions, weights


# %% wrong: predictions_alone (weights-missing)
def nadaraya_watson(queries, keys, values, bandwidth):
    return gaussian_weights(queries, keys, bandwidth) @ values


# %% wrong: keys_for_values (keys-averaged)
def nadaraya_watson(queries, keys, values, bandwidth):
    w = gaussian_weights(queries, keys, bandwidth)
    return torch.matmul(w, keys), w


# %% wrong: compares_values (compares-values)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = torch.softmax(-((queries[:, None] - values) ** 2) / (2 * bandwidth**2), -1)
    return weights @ values, weights


# %% wrong: values_for_keys (compares-values)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, values, bandwidth)
    return (weights * values).sum(-1), weights


# %% wrong: column (column-of-predictions)
def nadaraya_watson(queries, keys, values, bandwidth):
    w = gaussian_weights(queries, keys, bandwidth)
    return (w * values).sum(dim=1, keepdim=True), w


# %% wrong: weights_on_their_side (transposed)
def nadaraya_watson(queries, keys, values, bandwidth):
    scores = -((keys[:, None] - queries[None, :]) ** 2) / (2 * bandwidth**2)  # (K, Q)
    weights = softmax(scores, dim=0)
    return values @ weights, weights


# %% wrong: everybody_counts_the_same (plain-mean)
def nadaraya_watson(queries, keys, values, bandwidth):
    q, k = queries.shape[0], keys.shape[0]
    weights = torch.ones(q, k) / k
    return values.mean().expand(q), weights


# %% wrong: far_points_win (distance-as-similarity)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = softmax((queries[:, None] - keys) ** 2 / (2 * bandwidth ** 2), dim=1)
    return weights @ values, weights


# %% wrong: kernel_sum (not-normalised)
def nadaraya_watson(queries, keys, values, bandwidth):
    kernel = torch.exp(-(queries[:, None] - keys) ** 2 / (2 * bandwidth ** 2))
    return kernel @ values, kernel


# %% wrong: no_half (missing-half)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = F.softmax(-((queries[:, None] - keys) / bandwidth) ** 2, dim=-1)
    return torch.einsum("qk,k->q", weights, values), weights


# %% wrong: without_bandwidth (bandwidth-ignored)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, 1.0)
    return weights @ values, weights


# %% wrong: nearest_value (one-nearest-neighbour)
def nadaraya_watson(queries, keys, values, bandwidth):
    nearest = (queries[:, None] - keys[None, :]).abs().argmin(dim=1)
    return values[nearest], F.one_hot(nearest, keys.shape[0]).float()


# %% wrong: unstable_ratio (underflow)
def nadaraya_watson(queries, keys, values, bandwidth):
    kernel = torch.exp(-(queries[:, None] - keys) ** 2 / (2 * bandwidth ** 2))
    return (kernel @ values) / kernel.sum(1), kernel / kernel.sum(1, keepdim=True)


# %% wrong: detached (no-gradient)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth).detach()
    return weights @ values.detach(), weights


# %% wrong: forgot_return (returns-nothing)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    predictions = weights @ values


# %% wrong: swapped (swapped-results)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = gaussian_weights(queries, keys, bandwidth)
    return weights, weights @ values


# %% wrong: first_query_only (no name)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = softmax(-(queries[0] - keys) ** 2 / (2 * bandwidth ** 2))
    return (weights * values).sum(), weights
