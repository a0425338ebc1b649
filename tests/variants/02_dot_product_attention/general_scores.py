# %% right: bilinear
def general_scores(query, key, w):
    t, s = query.shape[-2], key.shape[-2]
    q = query.unsqueeze(-2).expand(*query.shape[:-1], s, query.shape[-1]).contiguous()
    k = key.unsqueeze(-3).expand(*key.shape[:-2], t, *key.shape[-2:]).contiguous()
    return F.bilinear(q, k, w.unsqueeze(0)).squeeze(-1)


# %% right: einsum
def general_scores(query, key, w):
    return torch.einsum("...ta,ab,...sb->...ts", query, w, key)


# %% right: float64
def general_scores(query, key, w):
    return (query.double() @ w.double() @ key.double().transpose(-2, -1)).float()


# %% right: keys_projected
def general_scores(query, key, w):
    return query @ (key @ w.T).mT


# %% right: loops
def general_scores(query, key, w):
    rows = []
    for t in range(query.shape[-2]):
        projected = query[..., t, :] @ w
        rows.append(
            torch.stack(
                [(projected * key[..., s, :]).sum(-1) for s in range(key.shape[-2])], dim=-1
            )
        )
    return torch.stack(rows, dim=-2)


# %% wrong: transposed_w (w-transposed)
def general_scores(query, key, w):
    return torch.matmul(torch.matmul(query, w.t()), key.transpose(-2, -1))


# %% wrong: dot (w-ignored)
def general_scores(query, key, w):
    return query @ key.transpose(-2, -1)


# %% wrong: rows_are_keys (transposed)
def general_scores(query, key, w):
    return key @ (query @ w).mT


# %% wrong: key_w_query (roles-swapped)
def general_scores(query, key, w):
    return key.matmul(w).matmul(query.transpose(-2, -1))


# %% wrong: scaled (scaled)
def general_scores(query, key, w):
    return query @ w @ key.mT / math.sqrt(w.shape[1])


# %% wrong: softmaxed (softmax-included)
def general_scores(query, key, w):
    scores = query @ w @ key.mT
    return scores.softmax(dim=-1)


# %% wrong: both_projected (w-on-both)
def general_scores(query, key, w):
    q = query @ w
    k = key @ w
    return q @ k.mT


# %% wrong: key_T (transposes-every-axis)
import warnings


def general_scores(query, key, w):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return query @ w @ key.T


# %% wrong: pairs (paired-off)
def general_scores(query, key, w):
    projected = query @ w
    return torch.sum(projected * key, dim=-1)


# %% wrong: only_queries (keys-missing)
def general_scores(query, key, w):
    return torch.matmul(query, w)


# %% wrong: tanh (tanh-included)
def general_scores(query, key, w):
    return (query @ w @ key.mT).tanh()


# %% wrong: detached (no-gradient)
def general_scores(query, key, w):
    return query.detach() @ w.detach() @ key.detach().mT


# %% wrong: batches_only (no name)
def general_scores(query, key, w):
    return torch.bmm(query @ w, key.transpose(1, 2))
