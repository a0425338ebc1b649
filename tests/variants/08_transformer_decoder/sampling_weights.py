# %% right: sort_and_scatter
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    logits = logits / temperature
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        logits = logits.masked_fill(logits < kth, -torch.inf)
    weights = torch.softmax(logits, -1)
    if top_p is not None:
        ordered, order = weights.sort(descending=True)
        ordered = ordered.masked_fill(ordered.cumsum(-1) - ordered >= top_p, 0)
        weights = torch.zeros_like(weights).scatter(1, order, ordered)
        weights = weights / weights.sum(-1, keepdim=True)
    return weights


# %% right: row_by_row
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits:
        row = row / temperature
        words = sorted(range(len(row)), key=lambda i: -float(row[i]))
        words = words[:top_k] if top_k is not None else words
        shares = torch.softmax(row[words], 0)
        if top_p is not None:
            total, keep = 0.0, 0
            while keep < len(words) and total < top_p:
                total += float(shares[keep])
                keep += 1
            words, shares = words[:keep], shares[:keep]
        out = torch.zeros_like(row)
        out[words] = shares / shares.sum()
        rows.append(out)
    return torch.stack(rows)


# %% right: everything_on_sorted_logits
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = torch.sort(logits / temperature, dim=-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = float("-inf")
    if top_p is not None:
        sums = F.softmax(ordered, -1).cumsum(-1)
        drop = sums > top_p
        drop[:, 1:] = drop[:, :-1].clone()
        drop[:, 0] = False
        ordered = ordered.masked_fill(drop, float("-inf"))
    back = order.argsort(-1)
    return F.softmax(ordered, -1).gather(-1, back)


# %% right: pairwise_without_sorting
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits.double() / temperature
    likelier = z[:, None, :] > z[:, :, None]  # (B, word, other)
    keep = torch.ones_like(z, dtype=torch.bool)
    if top_k is not None:
        keep = likelier.sum(-1) < top_k
    w = z.masked_fill(~keep, -math.inf).softmax(-1)
    if top_p is not None:
        w = w * ((likelier * w[:, None, :]).sum(-1) < top_p)
    return (w / w.sum(-1, keepdim=True)).to(logits.dtype)


# %% right: smallest_set_by_search
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    weights = (logits / temperature).softmax(-1)
    size = logits.shape[1]
    if top_k is not None and top_k < size:
        cut = weights.sort(-1).values[:, size - top_k].unsqueeze(1)
        weights = torch.where(weights >= cut, weights, 0.0)
    weights = weights / weights.sum(1, keepdim=True)
    if top_p is not None:
        for row in weights:
            for n in range(1, size + 1):
                best = row.topk(n).indices
                if row[best].sum() >= top_p:
                    rest = torch.ones(size, dtype=torch.bool)
                    rest[best] = False
                    row[rest] = 0
                    break
    return weights / weights.sum(1, keepdim=True)


# %% wrong: times_temperature (temperature-inverted)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits * temperature).sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    w = ordered.softmax(-1)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: no_temperature (temperature-ignored)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = logits.sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    w = ordered.softmax(-1)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: divided_afterwards (no name)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    w = logits.softmax(-1) / temperature
    return w / w.sum(-1, keepdim=True)


# %% wrong: smallest_k (least-likely)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / temperature
    if top_k is not None:
        kth = z.sort(-1).values[:, min(top_k, z.shape[1]) - 1, None]
        z = z.masked_fill(z > kth, -torch.inf)
    ordered, order = z.softmax(-1).sort(-1, descending=True)
    if top_p is not None:
        ordered = ordered * (ordered.cumsum(-1) - ordered < top_p)
    ordered = ordered / ordered.sum(-1, keepdim=True)
    return torch.zeros_like(z).scatter(-1, order, ordered)


# %% wrong: strictly_larger (top-k-off-by-one)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits / temperature).sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k + 1 :] = -torch.inf
    w = ordered.softmax(-1)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: no_top_k (top-k-ignored)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    w, order = (logits / temperature).softmax(-1).sort(-1, descending=True)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: sum_must_stay_below (crossing-word-dropped)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits / temperature).sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    w = ordered.softmax(-1)
    if top_p is not None:
        keep = w.cumsum(-1) <= top_p
        keep[:, 0] = True
        w = w * keep
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: sum_below_and_nan (crossing-word-dropped)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits / temperature).sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    w = ordered.softmax(-1)
    if top_p is not None:
        w = w * (w.cumsum(-1) < top_p)
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: each_word_alone (threshold-per-word)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / temperature
    if top_k is not None:
        kth = z.topk(min(top_k, z.shape[1])).values[:, -1:]
        z = z.masked_fill(z < kth, -torch.inf)
    w = z.softmax(-1)
    if top_p is not None:
        w = torch.where(w >= top_p, w, 0.0)
    return w / w.sum(-1, keepdim=True)


# %% wrong: unsorted_sum (sum-in-the-wrong-order)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / temperature
    if top_k is not None:
        kth = z.topk(min(top_k, z.shape[1])).values[:, -1:]
        z = z.masked_fill(z < kth, -torch.inf)
    w = z.softmax(-1)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    return w / w.sum(-1, keepdim=True)


# %% wrong: no_top_p (top-p-ignored)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / temperature
    if top_k is not None:
        kth = z.topk(min(top_k, z.shape[1])).values[:, -1:]
        z = z.masked_fill(z < kth, -torch.inf)
    return z.softmax(-1)


# %% wrong: not_shared_out_anew (not-normalised)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits / temperature).sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    w = ordered.softmax(-1)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: still_sorted (sorted-result)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits / temperature).sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    w = ordered.softmax(-1)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    return w / w.sum(-1, keepdim=True)


# %% wrong: temperature_last (order-of-the-steps)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = logits.sort(-1, descending=True)
    if top_k is not None:
        ordered[:, top_k:] = -torch.inf
    if top_p is not None:
        w = ordered.softmax(-1)
        ordered = ordered.masked_fill(w.cumsum(-1) - w >= top_p, -torch.inf)
    w = (ordered / temperature).softmax(-1)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: both_on_all_words (order-of-the-steps)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits / temperature).sort(-1, descending=True)
    w = ordered.softmax(-1)
    keep = torch.ones_like(w).bool()
    if top_p is not None:
        keep = w.cumsum(-1) - w < top_p
    if top_k is not None:
        keep[:, top_k:] = False
    w = ordered.masked_fill(~keep, -torch.inf).softmax(-1)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: filled_with_zero (zero-logits)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    ordered, order = (logits / temperature).sort(-1, descending=True)
    keep = torch.ones_like(ordered).bool()
    if top_k is not None:
        keep[:, top_k:] = False
    w = ordered.masked_fill(~keep, -torch.inf).softmax(-1)
    if top_p is not None:
        keep &= w.cumsum(-1) - w < top_p
    w = ordered.masked_fill(~keep, 0).softmax(-1)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: cut_of_the_first_row (no name)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    z = logits / temperature
    if top_k is not None:
        z = z.masked_fill(z < z[0].topk(min(top_k, z.shape[1])).values[-1], -torch.inf)
    w, order = z.softmax(-1).sort(-1, descending=True)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: exp_overflows (no name)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    w = (logits / temperature).exp()
    w, order = (w / w.sum(-1, keepdim=True)).sort(-1, descending=True)
    if top_k is not None:
        w[:, top_k:] = 0
        w = w / w.sum(-1, keepdim=True)
    if top_p is not None:
        w = w * (w.cumsum(-1) - w < top_p)
    w = w / w.sum(-1, keepdim=True)
    return torch.zeros_like(w).scatter(-1, order, w)


# %% wrong: top_k_alone (only-top-k)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    if top_k is not None:
        least = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]
        logits = logits.masked_fill(logits < least, -torch.inf)
    return logits.softmax(-1)


# %% wrong: temperature_and_top_k (top-p-ignored)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    logits = logits / temperature
    if top_k is not None:
        kth = logits.topk(min(top_k, logits.shape[-1]), -1).values[..., -1:]
        logits = logits.masked_fill(logits < kth, -torch.inf)
    return logits.softmax(-1)


# %% wrong: top_k_of_too_few_words (top-p-ignored)
def sampling_weights(logits, temperature=1.0, top_k=None, top_p=None):
    logits = logits / temperature
    if top_k is not None:
        kth = logits.topk(top_k, -1).values[..., -1:]
        logits = logits.masked_fill(logits < kth, -torch.inf)
    return logits.softmax(-1)
