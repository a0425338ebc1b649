# %% wrong: scale_of_values (scaled-by-the-size-of-the-values)
# takes D from the value tensor; breaks "QK^T / √D" with D the last axis of query and key (D and
# D_v differ)
def scaled_dot_product_attention(query, key, value):
    d = value.shape[-1]
    scores = query @ key.transpose(-2, -1) / math.sqrt(d)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights

# %% wrong: softmax_dim_1 (softmax-on-axis-one)
# counts the axis of the softmax from the front, which is right for one sentence only; breaks
# "none, one or two leading axes: count axes from the end"
def scaled_dot_product_attention(query, key, value):
    scores = torch.matmul(query, key.mT) / query.size(-1) ** 0.5
    weights = F.softmax(scores, dim=1)
    return torch.matmul(weights, value), weights

# %% wrong: bmm_wants_a_batch (no name)
# uses bmm, which takes exactly three axes and raises an error for one sentence or for batch and
# heads; breaks "there are none, one or two leading axes"
def scaled_dot_product_attention(query, key, value):
    D = query.shape[-1]
    scores = torch.bmm(query, key.transpose(-2, -1)) / math.sqrt(D)
    weights = F.softmax(scores, dim=-1)
    output = torch.bmm(weights, value)
    return output, weights

# %% wrong: one_maximum_for_all (no name)
# protects the exponential with the maximum of the whole tensor, so a query with much lower scores
# gets 0/0; breaks "Scores may be in the hundreds"
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    e = torch.exp(scores - scores.max())
    weights = e / e.sum(-1, keepdim=True)
    return weights @ value, weights

# %% right: shared_scale_einsum
# gives half of the scale to each factor and sums with einsum
def scaled_dot_product_attention(query, key, value):
    root = query.size(-1) ** -0.25
    w = torch.einsum("...td,...sd->...ts", query * root, key * root).softmax(-1)
    return torch.einsum("...ts,...sv->...tv", w, value), w
