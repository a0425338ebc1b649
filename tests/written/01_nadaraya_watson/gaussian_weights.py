# %% wrong: sigma_not_squared (bandwidth-not-squared)
# divides by 2σ instead of 2σ², which agrees with the example only because its bandwidth is 1;
# breaks the formula "2 σ²"
def gaussian_weights(queries, keys, bandwidth):
    diff = queries.unsqueeze(1) - keys.unsqueeze(0)
    return torch.softmax(-diff ** 2 / (2 * bandwidth), dim=1)

# %% wrong: clamped_denominator (underflow)
# normalises by hand and guards against 0/0 with a tiny clamp, so a far query gets a row of zeros;
# breaks "Its row still sums to one"
def gaussian_weights(queries, keys, bandwidth):
    d2 = (queries[:, None] - keys[None, :]) ** 2
    kernel = torch.exp(-d2 / (2 * bandwidth ** 2))
    return kernel / kernel.sum(dim=1, keepdim=True).clamp(min=1e-12)

# %% wrong: float_of_bandwidth (no-gradient)
# turns the bandwidth into a Python float so that both kinds work, which cuts the graph; breaks
# "In the second case gradients must flow back to it"
def gaussian_weights(queries, keys, bandwidth):
    sigma = float(bandwidth)
    scores = -((queries.reshape(-1, 1) - keys.reshape(1, -1)) ** 2) / (2 * sigma * sigma)
    return F.softmax(scores, dim=-1)

# %% wrong: keys_by_queries (transposed)
# puts the keys into the rows and normalises each column over the keys, so the result is (K, Q);
# breaks "The result has shape (Q, K): one row per query"
def gaussian_weights(queries, keys, bandwidth):
    distance = keys[:, None] - queries[None, :]
    return torch.softmax(-distance.pow(2) / (2 * bandwidth**2), dim=0)

# %% right: query_square_cancels
# multiplies the square out, drops the part that is constant in a row, and works in float64
def gaussian_weights(queries, keys, bandwidth):
    q, k = queries.double(), keys.double()
    # -(q-k)^2/2 = q*k - k^2/2 - q^2/2, and the last one is the same for the whole row
    logits = (torch.outer(q, k) - 0.5 * k.square()) / bandwidth**2
    return logits.softmax(dim=-1).to(queries.dtype)
