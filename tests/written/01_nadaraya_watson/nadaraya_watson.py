# %% wrong: mean_of_products (mean-instead-of-sum)
# takes "mean of the values weighted by" as a mean over the products, dividing by K a second time;
# breaks "the mean of the values weighted by `gaussian_weights`", whose rows sum to one already
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = torch.softmax(-(queries[:, None] - keys) ** 2 / (2 * bandwidth**2), dim=-1)
    predictions = (weights * values).mean(dim=-1)
    return predictions, weights

# %% wrong: column_of_predictions (column-of-predictions)
# makes a column of the values for the matrix product and returns a column; breaks "the
# predictions, of shape (Q,)"
def nadaraya_watson(queries, keys, values, bandwidth):
    sq = (queries.view(-1, 1) - keys.view(1, -1)) ** 2
    w = F.softmax(-sq / (2 * bandwidth ** 2), dim=1)
    y = torch.matmul(w, values.unsqueeze(-1))
    return y, w

# %% wrong: list_of_floats (no-gradient)
# collects the predictions as Python numbers and builds a fresh tensor from them; breaks
# "Gradients must flow to all inputs that are tensors"
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = torch.softmax(-(queries[:, None] - keys[None, :]) ** 2 / (2 * bandwidth ** 2), dim=1)
    preds = []
    for row in weights:
        total = 0.0
        for w, v in zip(row, values):
            total += w.item() * v.item()
        preds.append(total)
    return torch.tensor(preds, dtype=queries.dtype), weights

# %% wrong: contributions_as_weights (no name)
# overwrites the weights with weight times value before returning them; breaks "the weights, of
# shape (Q, K)" (rows that sum to one)
def nadaraya_watson(queries, keys, values, bandwidth):
    weights = torch.softmax(-(queries[:, None] - keys[None, :]) ** 2 / (2 * bandwidth ** 2), dim=1)
    weights = weights * values[None, :]
    return weights.sum(dim=1), weights

# %% right: two_sums
# numerator and denominator of the old papers as two einsums, shifted by the nearest key
def nadaraya_watson(queries, keys, values, bandwidth):
    half = ((queries[:, None] - keys[None, :]) / bandwidth).square() / 2
    kernel = torch.exp(half.min(dim=1, keepdim=True).values - half)
    below = torch.einsum("qk->q", kernel)
    above = torch.einsum("qk,k->q", kernel, values)
    return above / below, kernel / below[:, None]
