# %% right: broadcast_similarity
def cosine_scores(query, key):
    return F.cosine_similarity(query[..., :, None, :], key[..., None, :, :], dim=-1)


# %% right: clamped
def cosine_scores(query, key):
    q = query / query.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    k = key / key.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    return q @ k.mT


# %% right: loops
def cosine_scores(query, key):
    rows = []
    for t in range(query.shape[-2]):
        q = query[..., t, :]
        rows.append(
            torch.stack(
                [F.cosine_similarity(q, key[..., s, :], dim=-1) for s in range(key.shape[-2])],
                dim=-1,
            )
        )
    return torch.stack(rows, dim=-2)


# %% right: nan_to_num
def cosine_scores(query, key):
    lengths = query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)
    return torch.nan_to_num(query @ key.mT / lengths)


# %% right: small_epsilon
def cosine_scores(query, key):
    lengths = (query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)) + 1e-9
    return torch.einsum("...td,...sd->...ts", query, key) / lengths


# %% right: where
def cosine_scores(query, key):
    def unit(x):
        n = x.pow(2).sum(-1, keepdim=True).sqrt()
        return torch.where(
            n > 0, x / torch.where(n > 0, n, torch.ones_like(n)), torch.zeros_like(x)
        )

    return unit(query) @ unit(key).transpose(-2, -1)


# %% wrong: nan (divides-by-zero)
def cosine_scores(query, key):
    q = query / query.norm(dim=-1, keepdim=True)
    k = key / key.norm(dim=-1, keepdim=True)
    return q @ k.transpose(-2, -1)


# %% wrong: nan_outer (divides-by-zero)
def cosine_scores(query, key):
    lengths = query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)
    return query @ key.mT / lengths


# %% wrong: dot (no-normalisation)
def cosine_scores(query, key):
    return torch.einsum("...td,...sd->...ts", query, key)


# %% wrong: query_only (only-queries-normalised)
def cosine_scores(query, key):
    length = query.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    return (query / length) @ key.mT


# %% wrong: key_only (only-keys-normalised)
def cosine_scores(query, key):
    length = key.norm(dim=-1, keepdim=True) + 1e-10
    return query @ (key / length).mT


# %% wrong: sequence_axis (normalised-along-the-sequence)
def cosine_scores(query, key):
    q = query / query.norm(dim=-2, keepdim=True)
    k = key / key.norm(dim=-2, keepdim=True)
    return q @ k.mT


# %% wrong: default_axis (normalised-along-axis-one)
def cosine_scores(query, key):
    return F.normalize(query) @ F.normalize(key).transpose(-1, -2)


# %% wrong: whole_norm (one-norm-for-all)
def cosine_scores(query, key):
    return (query @ key.mT) / (torch.norm(query) * torch.norm(key))


# %% wrong: no_root (squared-lengths)
def cosine_scores(query, key):
    q2 = (query**2).sum(-1, keepdim=True)
    k2 = (key**2).sum(-1).unsqueeze(-2)
    return torch.nan_to_num(query @ key.mT / (q2 * k2))


# %% wrong: pairs (paired-off)
def cosine_scores(query, key):
    return F.cosine_similarity(query, key, dim=-1)


# %% wrong: softmaxed (softmax-included)
def cosine_scores(query, key):
    s = F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
    return s.softmax(-1)


# %% wrong: distance (cosine-distance)
def cosine_scores(query, key):
    return 1 - F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)


# %% wrong: radians (angle)
def cosine_scores(query, key):
    cos = F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
    return torch.acos(cos.clamp(-1, 1))


# %% wrong: one_norm (absolute-lengths)
def cosine_scores(query, key):
    q = query / query.abs().sum(-1, keepdim=True).clamp(min=1e-9)
    k = key / key.abs().sum(-1, keepdim=True).clamp(min=1e-9)
    return q @ k.mT


# %% wrong: keys_first (transposed)
def cosine_scores(query, key):
    return F.normalize(key, dim=-1) @ F.normalize(query, dim=-1).mT


# %% wrong: sqrt_d (scaled-dot)
def cosine_scores(query, key):
    return query @ key.mT / key.shape[-1] ** 0.5


# %% wrong: degrees (no name)
def cosine_scores(query, key):
    cos = F.cosine_similarity(query.unsqueeze(-2), key.unsqueeze(-3), dim=-1)
    return torch.rad2deg(torch.acos(cos.clamp(-1, 1)))


# %% wrong: large_epsilon (epsilon-too-large)
def cosine_scores(query, key):
    q = query / (query.norm(dim=-1, keepdim=True) + 1e-2)
    k = key / (key.norm(dim=-1, keepdim=True) + 1e-2)
    return q @ k.mT


# %% wrong: floor_of_a_thousandth (epsilon-too-large)
def cosine_scores(query, key):
    q = query / query.norm(dim=-1, keepdim=True).clamp(min=1e-3)
    k = key / key.norm(dim=-1, keepdim=True).clamp(min=1e-3)
    return q @ k.mT


# %% wrong: both_norms_as_columns (key-norms-not-turned)
def cosine_scores(query, key):
    lengths = query.norm(dim=-1, keepdim=True) * key.norm(dim=-1, keepdim=True)
    return query @ key.transpose(-2, -1) / (lengths + 1e-9)
