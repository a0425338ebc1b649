# %% right: bmm
def self_attention(x, w_q, w_k, w_v):
    q, k, v = torch.matmul(x, w_q), torch.matmul(x, w_k), torch.matmul(x, w_v)
    scores = torch.bmm(q, k.transpose(1, 2)) / w_k.shape[1] ** 0.5
    weights = F.softmax(scores, dim=2)
    return torch.bmm(weights, v), weights


# %% right: calls_attention
def self_attention(x, w_q, w_k, w_v):
    query, key, value = x @ w_q, x @ w_k, x @ w_v
    return scaled_dot_product_attention(query, key, value)


# %% right: einsum_float64
def self_attention(x, w_q, w_k, w_v):
    x64 = x.double()
    q = torch.einsum("btd,dk->btk", x64, w_q.double())
    k = torch.einsum("btd,dk->btk", x64, w_k.double())
    v = torch.einsum("btd,dk->btk", x64, w_v.double())
    w = (torch.einsum("btk,bsk->bts", q, k) / k.shape[-1] ** 0.5).softmax(-1)
    return torch.einsum("bts,bsv->btv", w, v).float(), w.float()


# %% right: one_sentence_at_a_time
def self_attention(x, w_q, w_k, w_v):
    outs, ws = [], []
    for sentence in x:
        q, k, v = sentence @ w_q, sentence @ w_k, sentence @ w_v
        w = torch.softmax(q @ k.T / math.sqrt(q.shape[1]), dim=1)
        outs.append(w @ v)
        ws.append(w)
    return torch.stack(outs), torch.stack(ws)


# %% right: packed
def self_attention(x, w_q, w_k, w_v):
    sizes = [w_q.shape[1], w_k.shape[1], w_v.shape[1]]
    q, k, v = (x @ torch.cat([w_q, w_k, w_v], dim=1)).split(sizes, dim=-1)
    weights = torch.softmax(q @ k.mT / math.sqrt(sizes[1]), dim=-1)
    return weights @ v, weights


# %% right: projects_afterwards
def self_attention(x, w_q, w_k, w_v):
    scores = x @ (w_q @ w_k.T) @ x.mT / math.sqrt(w_k.shape[-1])  # one matrix between the words
    weights = scores.softmax(-1)
    return (weights @ x) @ w_v, weights


# %% wrong: swapped_roles (roles-swapped)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = k @ q.transpose(1, 2) / math.sqrt(k.shape[-1])
    weights = F.softmax(scores, dim=-1)
    return weights @ v, weights


# %% wrong: value_from_w_k (values-from-the-key-matrix)
def self_attention(x, w_q, w_k, w_v):
    q = torch.matmul(x, w_q)
    k = torch.matmul(x, w_k)
    v = torch.matmul(x, w_k)
    weights = (q @ k.mT / k.size(-1) ** 0.5).softmax(-1)
    return weights @ v, weights


# %% wrong: raw_values (values-not-projected)
def self_attention(x, w_q, w_k, w_v):
    q, k = x @ w_q, x @ w_k
    weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
    return weights @ x, weights


# %% wrong: same_matrix (one-matrix-for-both)
def self_attention(x, w_q, w_k, w_v):
    q = k = x @ w_q
    return scaled_dot_product_attention(q, k, x @ w_v)


# %% wrong: no_projection (not-projected)
def self_attention(x, w_q, w_k, w_v):
    weights = torch.softmax(x @ x.mT / math.sqrt(x.shape[-1]), dim=-1)
    return weights @ (x @ w_v), weights


# %% wrong: query_raw (queries-not-projected)
def self_attention(x, w_q, w_k, w_v):
    k, v = x @ w_k, x @ w_v
    return scaled_dot_product_attention(x, k, v)


# %% wrong: linear_layout (linear-convention)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = F.linear(x, w_q), F.linear(x, w_k), F.linear(x, w_v)
    weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
    return weights @ v, weights


# %% wrong: model_size (scaled-by-the-model-size)
def self_attention(x, w_q, w_k, w_v):
    B, T, D = x.shape
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(q @ k.mT / math.sqrt(D), dim=-1)
    return weights @ v, weights


# %% wrong: no_scale (no-scale)
def self_attention(x, w_q, w_k, w_v):
    weights = torch.softmax((x @ w_q) @ (x @ w_k).mT, dim=-1)
    return weights @ (x @ w_v), weights


# %% wrong: scale_outside (scale-outside-softmax)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = (q @ k.mT).softmax(-1) / math.sqrt(q.shape[-1])
    return weights @ v, weights


# %% wrong: sequence_length (scaled-by-the-number-of-keys)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(q @ k.mT / math.sqrt(x.shape[1]), dim=-1)
    return weights @ v, weights


# %% wrong: value_size (scaled-by-the-size-of-the-values)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(q @ k.mT / math.sqrt(w_v.shape[1]), dim=-1)
    return weights @ v, weights


# %% wrong: softmax_dim_1 (softmax-over-queries)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(torch.bmm(q, k.permute(0, 2, 1)) / math.sqrt(w_k.shape[1]), dim=1)
    return torch.bmm(weights, v), weights


# %% wrong: one_sequence (mixes-the-batch)
def self_attention(x, w_q, w_k, w_v):
    B, T, D = x.shape
    flat = x.reshape(B * T, D)
    q, k, v = flat @ w_q, flat @ w_k, flat @ w_v
    weights = torch.softmax(q @ k.T / math.sqrt(k.shape[-1]), dim=-1)
    return (weights @ v).reshape(B, T, -1), weights


# %% wrong: output_only (weights-missing)
def self_attention(x, w_q, w_k, w_v):
    output, _ = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    return output


# %% wrong: fused (not-allowed)
def self_attention(x, w_q, w_k, w_v):
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    weights = torch.softmax(q @ k.mT / math.sqrt(k.shape[-1]), dim=-1)
    return nn.functional.scaled_dot_product_attention(q, k, v), weights


# %% wrong: wrong_order (swapped-results)
def self_attention(x, w_q, w_k, w_v):
    output, weights = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)
    return weights, output
