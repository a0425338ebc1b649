# %% right: clamp
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(1) / m.sum(1).clamp(min=1)


# %% right: double_inside
def masked_mean(x, mask):
    m = mask.double()[..., None]
    n = m.sum(1)
    return torch.where(n > 0, (x.double() * m).sum(1) / n.clamp(min=1), 0.0).float()


# %% right: loop
def masked_mean(x, mask):
    rows = []
    for sequence, keep in zip(x, mask):
        real = sequence[keep]
        rows.append(real.mean(0) if len(real) else sequence.new_zeros(sequence.shape[-1]))
    return torch.stack(rows)


# %% right: nanmean
def masked_mean(x, mask):
    out = x.masked_fill(~mask[..., None], torch.nan).nanmean(1)
    return torch.where(mask.any(1, keepdim=True), out, torch.zeros_like(out))


# %% right: softmax_of_equal_scores
def masked_mean(x, mask):
    scores = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.nan_to_num(torch.softmax(scores, dim=-1))
    return torch.einsum("bt,btd->bd", weights, x)


# %% right: tiny_divisor
def masked_mean(x, mask):
    m = mask[:, :, None].to(x.dtype)
    return (x * m).sum(1) / (m.sum(1) + 1e-9)


# %% right: weights
def masked_mean(x, mask):
    w = mask.float()
    w = w / w.sum(1, keepdim=True).clamp_min(1.0)
    return torch.bmm(w.unsqueeze(1), x).squeeze(1)


# %% right: einops
def masked_mean(x, mask):
    kept = torch.where(einops.rearrange(mask, "b t -> b t 1"), x, torch.zeros_like(x))
    count = einops.reduce(mask.float(), "b t -> b 1", "sum")
    return einops.reduce(kept, "b t d -> b d", "sum") / count.clip(min=1.0)


# %% right: running_mean
def masked_mean(x, mask):
    mean, seen = torch.zeros(len(x), x.shape[-1]), torch.zeros(len(x), 1)
    for t in range(x.shape[1]):
        here = mask[:, t, None].float()
        seen = seen + here
        mean = mean + here * (x[:, t] - mean) / seen.clamp(min=1)
    return mean


# %% right: index_add
def masked_mean(x, mask):
    rows, _ = mask.nonzero(as_tuple=True)
    total = torch.zeros(x.shape[0], x.shape[2], dtype=torch.float64).index_add(0, rows, x[mask].double())
    count = torch.bincount(input=rows, minlength=len(x)).clamp(min=1)
    return (total / count[:, None]).to(x)


# %% wrong: average_pooling (mask-ignored)
def masked_mean(x, mask):
    return F.adaptive_avg_pool1d(x.transpose(1, 2), 1).squeeze(-1)


# %% wrong: plain_mean (mask-ignored)
def masked_mean(x, mask):
    return x.mean(dim=1)


# %% wrong: einsum_over_length (divided-by-the-length)
def masked_mean(x, mask):
    return torch.einsum("btd,bt->bd", x, mask.float()) / mask.shape[1]


# %% wrong: mean_of_zeroed (divided-by-the-length)
def masked_mean(x, mask):
    return x.masked_fill(~mask.unsqueeze(-1), 0.0).mean(1)


# %% wrong: sum_only (not-divided)
def masked_mean(x, mask):
    return torch.einsum('btd,bt->bd', x, mask.to(x.dtype))


# %% wrong: mask_inverted (inverted)
def masked_mean(x, mask):
    m = (~mask).float().unsqueeze(-1)
    return (x * m).sum(1) / m.sum(1).clamp(min=1)


# %% wrong: zero_over_zero (empty-row)
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(dim=1) / m.sum(dim=1)


# %% wrong: plus_one (count-plus-one)
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(dim=1) / (1 + m.sum(dim=1))


# %% wrong: one_divisor (one-count-for-all)
def masked_mean(x, mask):
    m = mask.unsqueeze(-1)
    return (x * m).sum(1) / m.sum()


# %% wrong: boolean_indexing (sentences-mixed)
def masked_mean(x, mask):
    return x[mask].mean(dim=0)


# %% wrong: keepdim (axis-kept)
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(dim=1, keepdim=True) / m.sum(dim=1, keepdim=True).clamp(min=1)


# %% wrong: max_pooling (maximum)
def masked_mean(x, mask):
    x = torch.where(mask.unsqueeze(-1), x, torch.tensor(float("-inf")))
    return x.max(dim=1).values


# %% wrong: last_real (last-token)
def masked_mean(x, mask):
    last = mask.sum(1) - 1
    return torch.stack([x[i, last[i]] for i in range(len(x))])


# %% wrong: cls (first-token)
def masked_mean(x, mask):
    return x[:, 0, :]


# %% wrong: counts_nonzero (zeros-skipped)
def masked_mean(x, mask):
    y = x * mask.unsqueeze(-1)
    count = torch.count_nonzero(y, dim=1).clamp(min=1)
    return y.sum(1) / count


# %% wrong: wrong_axis (features-averaged)
def masked_mean(x, mask):
    return (x * mask.unsqueeze(-1)).mean(dim=2)


# %% wrong: no_new_axis (mask-without-an-axis)
def masked_mean(x, mask):
    kept = x * mask
    return kept.sum(1) / mask.sum(1)


# %% wrong: writes_zeros (changes-its-input)
def masked_mean(x, mask):
    x[~mask] = 0
    return x.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


# %% wrong: nan_to_num_after (empty-row)
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return (x * m).sum(1) / m.sum(1) + 0 * x.mean(1) * float(mask.any())


# %% wrong: nan_replaced (nan-gradient)
def masked_mean(x, mask):
    m = mask.unsqueeze(-1).float()
    return torch.nan_to_num((x * m).sum(1) / m.sum(1))


# %% wrong: nan_replaced_by_where (nan-gradient)
def masked_mean(x, mask):
    n = mask.sum(1)[:, None]
    mean = torch.einsum("btd,bt->bd", x, mask.float()) / n
    return torch.where(n == 0, torch.zeros_like(mean), mean)


# %% wrong: looks_at_the_first_token (no name)
def masked_mean(x, mask):
    first = mask.nonzero()[:, 0].tolist()
    rows = [x[i][mask[i]].mean(0) if i in first[1:] or mask[0, 0] else x[i, 0] * 0 for i in range(len(x))]
    return torch.stack(rows)
