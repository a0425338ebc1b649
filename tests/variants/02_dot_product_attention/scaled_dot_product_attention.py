# %% right: einsum
def scaled_dot_product_attention(query, key, value):
    scores = torch.einsum("...td,...sd->...ts", query, key) * query.size(-1) ** -0.5
    p = scores.softmax(-1)
    return torch.einsum("...ts,...sv->...tv", p, value), p


# %% right: flattened_bmm
def scaled_dot_product_attention(query, key, value):
    lead = query.shape[:-2]
    q, k, v = (x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))
    start = torch.zeros(q.shape[0], q.shape[1], k.shape[1])
    scores = torch.baddbmm(start, q, k.transpose(1, 2), beta=0, alpha=k.shape[-1] ** -0.5)
    w = scores.softmax(2)
    return torch.bmm(w, v).reshape(*lead, *(q.shape[1], v.shape[2])), w.reshape(
        *lead, q.shape[1], k.shape[1]
    )


# %% right: float64
def scaled_dot_product_attention(query, key, value):
    q, k, v = query.double(), key.double(), value.double()
    w = (q @ k.mT / math.sqrt(k.size(-1))).softmax(-1)
    return (w @ v).float(), w.float()


# %% right: fourth_roots
def scaled_dot_product_attention(query, key, value):
    r = key.shape[-1] ** 0.25
    weights = ((query / r) @ (key / r).mT).softmax(-1)
    return weights @ value, weights


# %% right: key_major
def scaled_dot_product_attention(query, key, value):
    by_key = key @ query.mT / math.sqrt(key.shape[-1])  # (..., S, T)
    p = torch.softmax(by_key, dim=-2)
    return p.mT @ value, p.mT


# %% right: logsumexp
def scaled_dot_product_attention(query, key, value):
    s = query @ key.mT / math.sqrt(key.size(-1))
    w = torch.exp(s - s.logsumexp(-1, keepdim=True))
    return w @ value, w


# %% right: loop_over_queries
def scaled_dot_product_attention(query, key, value):
    rows, outs = [], []
    for t in range(query.shape[-2]):
        q = query[..., t : t + 1, :]
        scores = (q * key).sum(-1) / key.shape[-1] ** 0.5  # (..., S)
        w = F.softmax(scores, dim=-1)
        rows.append(w)
        outs.append((w.unsqueeze(-1) * value).sum(-2))
    return torch.stack(outs, dim=-2), torch.stack(rows, dim=-2)


# %% right: multiply_and_sum
def scaled_dot_product_attention(query, key, value):
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / math.sqrt(key.size(-1))
    weights = F.softmax(scores, dim=-1)
    return (weights.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), weights


# %% right: own_in_place
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT
    scores /= math.sqrt(key.size(-1))
    weights = softmax(scores)
    return weights @ value, weights


# %% right: scaled_query
def scaled_dot_product_attention(query, key, value):
    weights = torch.softmax((query / math.sqrt(query.shape[-1])) @ key.transpose(-2, -1), dim=-1)
    return weights @ value, weights


# %% right: sequence_first
def scaled_dot_product_attention(query, key, value):
    q, k = query.movedim(-2, 0), key.movedim(-2, 0)  # (T, ..., D), (S, ..., D)
    scores = torch.einsum("i...d,j...d->ij...", q, k) / math.sqrt(q.shape[-1])
    w = scores.softmax(dim=1)
    out = torch.einsum("ij...,j...d->i...d", w, value.movedim(-2, 0))
    return out.movedim(0, -2), w.movedim((0, 1), (-2, -1))


# %% wrong: no_scale (no-scale)
def scaled_dot_product_attention(query, key, value):
    weights = torch.softmax(query @ key.transpose(-2, -1), dim=-1)
    return weights @ value, weights


# %% wrong: scale_outside (scale-outside-softmax)
def scaled_dot_product_attention(query, key, value):
    d_k = query.size(-1)
    weights = F.softmax(query @ key.transpose(-1, -2), dim=-1) / math.sqrt(d_k)
    return weights @ value, weights


# %% wrong: scale_at_the_end (scale-on-output)
def scaled_dot_product_attention(query, key, value):
    d = key.shape[-1]
    p = (query @ key.mT).softmax(-1)
    return (p @ value) / d**0.5, p


# %% wrong: over_d (divides-by-d)
def scaled_dot_product_attention(query, key, value):
    scores = torch.matmul(query, key.transpose(-2, -1)) / query.shape[-1]
    p = scores.softmax(dim=-1)
    return torch.matmul(p, value), p


# %% wrong: sqrt_keys (scaled-by-the-number-of-keys)
def scaled_dot_product_attention(query, key, value):
    n = value.shape[-2]
    p = torch.softmax(query @ key.mT / n**0.5, -1)
    return p @ value, p


# %% wrong: sqrt_queries (scaled-by-the-number-of-queries)
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT
    p = torch.softmax(scores / math.sqrt(scores.shape[-2]), -1)
    return p @ value, p


# %% wrong: sqrt_dv (scaled-by-the-size-of-the-values)
def scaled_dot_product_attention(query, key, value):
    p = torch.softmax(query @ key.mT / math.sqrt(value.size(-1)), -1)
    return p @ value, p


# %% wrong: shape_one (fixed-axis-size)
def scaled_dot_product_attention(query, key, value):
    dk = key.shape[1]
    scores = torch.matmul(query, key.transpose(-1, -2)) / dk**0.5
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


# %% wrong: both_scaled (scaled-twice)
def scaled_dot_product_attention(query, key, value):
    d = query.shape[-1]
    query = query / math.sqrt(d)
    key = key / math.sqrt(d)
    weights = (query @ key.transpose(-2, -1)).softmax(-1)
    return weights @ value, weights


# %% wrong: times_sqrt (multiplies-by-the-scale)
def scaled_dot_product_attention(query, key, value):
    scale = key.shape[-1] ** 0.5
    weights = (query @ key.mT * scale).softmax(-1)
    return weights @ value, weights


# %% wrong: softmax_queries (softmax-over-queries)
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = F.softmax(scores, dim=-2)
    return weights @ value, weights


# %% wrong: softmax_dim_1 (softmax-on-axis-one)
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = F.softmax(scores, dim=1)
    return weights @ value, weights


# %% wrong: softmax_dim_0 (softmax-on-axis-zero)
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, 0)
    return weights @ value, weights


# %% wrong: double_softmax (softmax-twice)
def scaled_dot_product_attention(query, key, value):
    attn = F.softmax(query @ key.mT / math.sqrt(query.shape[-1]), dim=-1)
    attn = attn.softmax(dim=-1)
    return attn @ value, attn


# %% wrong: scores_as_weights (no-softmax)
def scaled_dot_product_attention(query, key, value):
    weights = torch.einsum("...td,...sd->...ts", query, key) / query.shape[-1] ** 0.5
    return weights @ value, weights


# %% wrong: key_T (transposes-every-axis)
import warnings


def scaled_dot_product_attention(query, key, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = query @ key.T / math.sqrt(key.shape[-1])
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights


# %% wrong: key_query (keys-against-queries)
def scaled_dot_product_attention(query, key, value):
    scores = torch.matmul(key, query.transpose(-2, -1)) / math.sqrt(key.size(-1))
    weights = F.softmax(scores, dim=-1)
    return torch.matmul(weights, value), weights


# %% wrong: weights_T (weights-transposed)
def scaled_dot_product_attention(query, key, value):
    weights = F.softmax(query @ key.mT / math.sqrt(key.size(-1)), dim=-1)
    return weights.transpose(-2, -1) @ value, weights


# %% wrong: mean_of_keys (keys-averaged)
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    weights = scores.softmax(-1)
    return weights @ key, weights


# %% wrong: cosine (cosine)
def scaled_dot_product_attention(query, key, value):
    q = query / query.norm(dim=-1, keepdim=True)
    k = key / key.norm(dim=-1, keepdim=True)
    weights = F.softmax(q @ k.mT, dim=-1)
    return weights @ value, weights


# %% wrong: elementwise (paired-off)
def scaled_dot_product_attention(query, key, value):
    scores = query * key / math.sqrt(query.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights * value, weights


# %% wrong: one_long_sequence (mixes-the-batch)
def scaled_dot_product_attention(query, key, value):
    d = query.shape[-1]
    q, k, v = query.reshape(-1, d), key.reshape(-1, d), value.reshape(-1, value.shape[-1])
    weights = torch.softmax(q @ k.T / math.sqrt(d), dim=-1)
    return (weights @ v).reshape(*query.shape[:-1], v.shape[-1]), weights


# %% wrong: naive_exp (overflow)
def scaled_dot_product_attention(query, key, value):
    e = torch.exp(query @ key.mT / math.sqrt(key.size(-1)))
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights @ value, weights


# %% wrong: returns_weights (only-weights)
def scaled_dot_product_attention(query, key, value):
    weights = F.softmax(query @ key.mT / math.sqrt(key.size(-1)), dim=-1)
    output = weights @ value
    return weights


# %% wrong: returns_output (weights-missing)
def scaled_dot_product_attention(query, key, value):
    weights = F.softmax(query @ key.mT / math.sqrt(key.size(-1)), dim=-1)
    return weights @ value


# %% wrong: returns_scores (scores-returned)
def scaled_dot_product_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    return scores.softmax(-1) @ value, scores


# %% wrong: detached (no-gradient)
def scaled_dot_product_attention(query, key, value):
    weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]), dim=-1).detach()
    return weights @ value.detach(), weights


# %% wrong: in_place (changes-its-input)
def scaled_dot_product_attention(query, key, value):
    query /= math.sqrt(query.shape[-1])
    weights = (query @ key.mT).softmax(-1)
    return weights @ value, weights


# %% wrong: library (not-allowed)
def scaled_dot_product_attention(query, key, value):
    weights = torch.softmax(query @ key.mT / math.sqrt(key.shape[-1]), dim=-1)
    return F.scaled_dot_product_attention(query, key, value), weights


# %% wrong: wrong_order (swapped-results)
def scaled_dot_product_attention(query, key, value):
    weights = F.softmax(query @ key.mT / math.sqrt(key.size(-1)), dim=-1)
    return weights, weights @ value


# %% wrong: dropout (no name)
def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(-1)
    weights = F.dropout(weights, 0.1)
    return weights @ value, weights


# %% wrong: integer_root (no name)
def scaled_dot_product_attention(query, key, value):
    weights = (query @ key.mT / math.isqrt(key.shape[-1])).softmax(-1)
    return weights @ value, weights


# %% wrong: only_batches (no name)
def scaled_dot_product_attention(query, key, value):
    scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[2])
    weights = torch.softmax(scores, dim=2)
    return torch.bmm(weights, value), weights
