# %% right: column_v
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return (hidden @ v.unsqueeze(-1)).squeeze(-1)


# %% right: concatenated
def additive_scores(query, key, w_q, w_k, v):
    t, s = query.shape[-2], key.shape[-2]
    q = query.unsqueeze(-2).expand(*query.shape[:-1], s, query.shape[-1])
    k = key.unsqueeze(-3).expand(*key.shape[:-2], t, s, key.shape[-1])
    return torch.tanh(torch.cat([q, k], dim=-1) @ torch.cat([w_q, w_k], dim=0)) @ v


# %% right: keys_projected_once
def additive_scores(query, key, w_q, w_k, v):
    projected = key @ w_k  # once for all queries
    return torch.stack(
        [(torch.tanh(projected + q.unsqueeze(-2) @ w_q) * v).sum(-1) for q in query.unbind(-2)],
        dim=-2,
    )


# %% right: loops
def additive_scores(query, key, w_q, w_k, v):
    rows = []
    for t in range(query.shape[-2]):
        row = [
            torch.tanh(query[..., t, :] @ w_q + key[..., s, :] @ w_k) @ v
            for s in range(key.shape[-2])
        ]
        rows.append(torch.stack(row, dim=-1))
    return torch.stack(rows, dim=-2)


# %% right: repeat_interleave
def additive_scores(query, key, w_q, w_k, v):
    t, s = query.shape[-2], key.shape[-2]
    q = (query @ w_q).repeat_interleave(s, dim=-2)
    k = torch.cat([key @ w_k] * t, dim=-2)
    return (torch.tanh(q + k) @ v).reshape(*query.shape[:-2], t, s)


# %% right: tanh_by_exponentials
def additive_scores(query, key, w_q, w_k, v):
    z = ((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3)).double()
    hidden = 1 - 2 / (torch.exp(2 * z) + 1)
    return torch.einsum("...a,a->...", hidden, v.double()).float()


# %% wrong: linear (no-tanh)
def additive_scores(query, key, w_q, w_k, v):
    hidden = (query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3)
    return hidden @ v


# %% wrong: outer_tanh (tanh-on-the-score)
def additive_scores(query, key, w_q, w_k, v):
    hidden = (query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3)
    return torch.tanh((hidden * v).sum(-1))


# %% wrong: separate_tanh (tanh-on-each)
def additive_scores(query, key, w_q, w_k, v):
    a = torch.tanh(query @ w_q) @ v
    b = torch.tanh(key @ w_k) @ v
    return a.unsqueeze(-1) + b.unsqueeze(-2)


# %% wrong: early_tanh (tanh-first)
def additive_scores(query, key, w_q, w_k, v):
    q = query.tanh() @ w_q
    k = key.tanh() @ w_k
    return (q[..., :, None, :] + k[..., None, :, :]) @ v


# %% wrong: shared_matrix (one-matrix-for-both)
def additive_scores(query, key, w_q, w_k, v):
    both = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_q).unsqueeze(-3))
    return both @ v


# %% wrong: crossed_matrices (matrices-swapped)
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_k, key @ w_q
    return torch.tanh(q[..., :, None, :] + k[..., None, :, :]) @ v


# %% wrong: no_broadcast (paired-off)
def additive_scores(query, key, w_q, w_k, v):
    return torch.matmul(torch.tanh(query @ w_q + key @ w_k), v)


# %% wrong: same_new_axis (paired-off)
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_q, key @ w_k
    return torch.tanh(q[:, None] + k[:, None]) @ v


# %% wrong: axes_of_a_batch (axes-counted-from-the-front)
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_q, key @ w_k
    return torch.tanh(q[:, :, None] + k[:, None]) @ v


# %% wrong: axes_of_a_matrix (axes-counted-from-the-front)
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_q, key @ w_k
    return torch.tanh(q[:, None] + k[None]) @ v


# %% wrong: unsqueezed_from_the_front (axes-counted-from-the-front)
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_q, key @ w_k
    return torch.tanh(q.unsqueeze(1) + k.unsqueeze(0)) @ v


# %% wrong: axis_behind (axis-behind-the-features)
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_q, key @ w_k
    return torch.tanh(q[..., None] + k[..., None, :]) @ v


# %% wrong: unsqueezed_behind (axis-behind-the-features)
def additive_scores(query, key, w_q, w_k, v):
    q, k = query @ w_q, key @ w_k
    return torch.tanh(q.unsqueeze(-1) + k.unsqueeze(-2)) @ v


# %% wrong: relu (relu)
def additive_scores(query, key, w_q, w_k, v):
    hidden = F.relu((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return hidden @ v


# %% wrong: relu_energies (relu-on-the-score)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return torch.relu(hidden @ v)


# %% wrong: sigmoid (sigmoid)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.sigmoid((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return hidden @ v


# %% wrong: product (multiplied)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) * (key @ w_k).unsqueeze(-3))
    return hidden @ v


# %% wrong: plain_sum (v-ignored)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return hidden.sum(dim=-1)


# %% wrong: v_in_the_tanh (v-inside)
def additive_scores(query, key, w_q, w_k, v):
    hidden = v * ((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return torch.tanh(hidden).sum(dim=-1)


# %% wrong: hidden_axis_left (not-summed)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return v * hidden


# %% wrong: weights (softmax-included)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return F.softmax(hidden @ v, dim=-1)


# %% wrong: hidden_softmax (softmax-on-the-hidden-layer)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return F.softmax(hidden, dim=-1) @ v


# %% wrong: scaled (scaled)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-2) + (key @ w_k).unsqueeze(-3))
    return hidden @ v / v.shape[0] ** 0.5


# %% wrong: transposed (transposed)
def additive_scores(query, key, w_q, w_k, v):
    hidden = torch.tanh((query @ w_q).unsqueeze(-3) + (key @ w_k).unsqueeze(-2))
    return hidden @ v


# %% wrong: repeat_in_step (repeated-in-step)
def additive_scores(query, key, w_q, w_k, v):
    *lead, t, _ = query.shape
    s = key.shape[-2]
    one = [1] * len(lead)
    q = query.repeat(*one, s, 1)
    k = key.repeat(*one, t, 1)
    return (torch.tanh(q @ w_q + k @ w_k) @ v).view(*lead, t, s)


# %% wrong: cat_in_time (concatenated-along-the-sequence)
def additive_scores(query, key, w_q, w_k, v):
    joined = torch.cat((query @ w_q, key @ w_k), dim=-2)
    return torch.tanh(joined) @ v


# %% wrong: tanh_of_a_product (multiplied)
def additive_scores(query, key, w_q, w_k, v):
    return torch.tanh((query @ w_q) @ (key @ w_k).mT)


# %% wrong: weighed_product (multiplied)
def additive_scores(query, key, w_q, w_k, v):
    return torch.tanh((query @ w_q * v) @ (key @ w_k).mT)
