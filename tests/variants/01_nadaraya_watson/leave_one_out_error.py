# %% right: in_place_on_its_own_scores
def leave_one_out_error(keys, values, bandwidth):
    n = keys.numel()
    scores = keys.view(n, 1) - keys.view(1, n)
    scores = -scores.pow(2) / bandwidth.pow(2) / 2
    scores[torch.arange(n), torch.arange(n)] = torch.finfo(scores.dtype).min
    residuals = values - torch.einsum("ij,j->i", scores.softmax(-1), values)
    return (residuals @ residuals) / n


# %% right: kernel_ratio_in_double
def leave_one_out_error(keys, values, bandwidth):
    k, v = keys.double(), values.double()
    log_kernel = -((k[:, None] - k) ** 2) / (2 * bandwidth.double() ** 2)
    log_kernel = log_kernel.fill_diagonal_(-math.inf)
    weights = (log_kernel - log_kernel.logsumexp(-1, keepdim=True)).exp()
    return ((weights @ v - v) ** 2).mean().float()


# %% right: large_negative_fill
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    scores = scores - 1e9 * torch.eye(len(keys))
    return (torch.softmax(scores, 1) @ values - values).square().mean()


# %% right: loop_over_points
def leave_one_out_error(keys, values, bandwidth):
    errors = []
    for i in range(len(keys)):
        others = [j for j in range(len(keys)) if j != i]
        prediction, _ = nadaraya_watson(keys[i : i + 1], keys[others], values[others], bandwidth)
        errors.append((prediction - values[i]) ** 2)
    return torch.cat(errors).mean()


# %% right: masked_diagonal
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), float("-inf"))
    return F.mse_loss(softmax(scores) @ values, values)


# %% right: off_diagonal_reshape
def leave_one_out_error(keys, values, bandwidth):
    n = len(keys)
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    off = ~torch.eye(n, dtype=torch.bool)
    scores = scores[off].view(n, n - 1)
    others = values.expand(n, n)[off].view(n, n - 1)
    return (((softmax(scores) * others).sum(1) - values) ** 2).mean()


# %% right: off_diagonal_reshaped
def leave_one_out_error(keys, values, bandwidth):
    n = len(keys)
    others = ~torch.eye(n, dtype=torch.bool)
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth**2)
    weights = scores[others].view(n, n - 1).softmax(-1)
    predictions = (weights * values.expand(n, n)[others].view(n, n - 1)).sum(-1)
    return (predictions - values).square().mean()


# %% wrong: itself_included (in-sample)
def leave_one_out_error(keys, values, bandwidth):
    predictions, _ = nadaraya_watson(keys, keys, values, bandwidth)
    return F.mse_loss(predictions, values)


# %% wrong: diagonal_times_zero (zero-score)
def leave_one_out_error(keys, values, bandwidth):
    n = keys.shape[0]
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores * (torch.ones(n, n) - torch.eye(n))
    predictions = F.softmax(scores, dim=-1) @ values
    return torch.mean((predictions - values) ** 2)


# %% wrong: score_of_zero (zero-score)
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys[None, :]) ** 2 / (2 * bandwidth ** 2)
    mask = torch.eye(len(keys), dtype=torch.bool)
    scores = scores.masked_fill(mask, 0.0)
    return ((softmax(scores) @ values - values) ** 2).mean()


# %% wrong: weight_removed (not-renormalised)
def leave_one_out_error(keys, values, bandwidth):
    weights = gaussian_weights(keys, keys, bandwidth)
    weights = weights - torch.diag(torch.diagonal(weights))
    return torch.mean((weights @ values - values) ** 2)


# %% wrong: removed_and_rescaled (renormalised-after)
def leave_one_out_error(keys, values, bandwidth):
    weights = gaussian_weights(keys, keys, bandwidth)
    others = weights.masked_fill(torch.eye(len(keys)).bool(), 0)
    others = others / others.sum(dim=1, keepdim=True)
    return ((others @ values - values) ** 2).mean()


# %% wrong: first_point (first-left-out)
def leave_one_out_error(keys, values, bandwidth):
    errors = []
    for i in range(len(keys)):
        prediction, _ = nadaraya_watson(keys[i].view(1), keys[1:], values[1:], bandwidth)
        errors.append((prediction[0] - values[i]) ** 2)
    return torch.stack(errors).mean()


# %% wrong: by_value (twins-left-out)
def leave_one_out_error(keys, values, bandwidth):
    total = 0
    for k, v in zip(keys, values):
        others = keys != k
        prediction, _ = nadaraya_watson(k[None], keys[others], values[others], bandwidth)
        total = total + (prediction[0] - v) ** 2
    return total / len(keys)


# %% wrong: zero_distance (twins-left-out)
def leave_one_out_error(keys, values, bandwidth):
    d2 = (keys[:, None] - keys[None, :]) ** 2
    scores = torch.where(d2 == 0, -math.inf, -d2 / (2 * bandwidth ** 2))
    return ((softmax(scores) @ values - values) ** 2).mean()


# %% wrong: inverted_mask (only-itself)
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth**2)
    scores = scores.masked_fill(~torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return ((torch.softmax(scores, -1) @ values - values) ** 2).mean()


# %% wrong: inverted_where (only-itself)
def leave_one_out_error(keys, values, bandwidth):
    own = torch.eye(len(keys), dtype=torch.bool)
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth**2)
    weights = torch.where(own, scores, torch.full_like(scores, float("-inf"))).softmax(-1)
    return F.mse_loss(weights @ values, values)


# %% wrong: plain_mean_of_others (plain-mean)
def leave_one_out_error(keys, values, bandwidth):
    n = len(values)
    weights = (torch.ones(n, n) - torch.eye(n)) / (n - 1)
    return F.mse_loss(weights @ values, values)


# %% wrong: no_half_in_the_kernel (missing-half)
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys) / bandwidth) ** 2
    scores[range(len(keys)), range(len(keys))] = -math.inf
    return ((softmax(scores) @ values - values) ** 2).mean()


# %% wrong: sigma_not_squared (bandwidth-not-squared)
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return ((softmax(scores) @ values - values) ** 2).mean()


# %% wrong: far_ones_win (distance-as-similarity)
def leave_one_out_error(keys, values, bandwidth):
    scores = (keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return ((F.softmax(scores, -1) @ values - values) ** 2).mean()


# %% wrong: added_up (sum-of-squares)
def leave_one_out_error(keys, values, bandwidth):
    total = torch.zeros(())
    for i in range(len(keys)):
        k, v = torch.cat([keys[:i], keys[i + 1:]]), torch.cat([values[:i], values[i + 1:]])
        total = total + (nadaraya_watson(keys[i:i + 1], k, v, bandwidth)[0][0] - values[i]) ** 2
    return total


# %% wrong: absolute (absolute-error)
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys)) == 1, float("-inf"))
    return F.l1_loss(softmax(scores) @ values, values)


# %% wrong: rooted (root-of-the-mean)
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys)) == 1, float("-inf"))
    return torch.sqrt(F.mse_loss(softmax(scores) @ values, values))


# %% wrong: vector_of_errors (errors-not-averaged)
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores + torch.diag(torch.full((len(keys),), -math.inf)).nan_to_num(neginf=-1e9)
    return F.mse_loss(softmax(scores) @ values, values, reduction="none")


# %% wrong: half (halved-error)
def leave_one_out_error(keys, values, bandwidth):
    scores = -(keys[:, None] - keys) ** 2 / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -1e9)
    return 0.5 * torch.mean((softmax(scores) @ values - values) ** 2)


# %% wrong: as_a_number (no-gradient)
def leave_one_out_error(keys, values, bandwidth):
    errors = []
    for i in range(len(keys)):
        others = torch.arange(len(keys)) != i
        prediction, _ = nadaraya_watson(keys[i:i + 1], keys[others], values[others], bandwidth)
        errors.append((prediction.item() - values[i].item()) ** 2)
    return sum(errors) / len(errors)


# %% wrong: never_ends (endless)
def leave_one_out_error(keys, values, bandwidth):
    total, i = 0, 0
    while i < len(keys):
        others = torch.arange(len(keys)) != i
        total = (
            total
            + (
                nadaraya_watson(keys[i : i + 1], keys[others], values[others], bandwidth)[0]
                - values[i]
            )
            ** 2
        )
    return total / len(keys)


# %% wrong: filled_with_minus_100 (fill-not-low-enough)
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys) ** 2) / (2 * bandwidth ** 2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -100.0)
    return ((softmax(scores) @ values - values) ** 2).mean()


# %% wrong: fill_of_minus_ten_thousand (fill-not-low-enough)
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -1e4)
    return ((softmax(scores) @ values - values) ** 2).mean()


# %% wrong: fill_of_minus_hundred (fill-not-low-enough)
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -100.0)
    return ((softmax(scores) @ values - values) ** 2).mean()
