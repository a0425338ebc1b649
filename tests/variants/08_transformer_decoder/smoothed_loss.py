# %% right: cross_entropy_with_probabilities
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    keep = targets.reshape(-1) != pad
    q = F.one_hot(targets.reshape(-1)[keep], V) * (1 - smoothing) + smoothing / V
    return F.cross_entropy(logits.reshape(-1, V)[keep], q)


# %% right: einsum
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    logp = torch.log_softmax(logits, dim=2)
    q = torch.eye(V)[targets] * (1 - smoothing) + torch.ones(V) / V * smoothing
    real = (targets != pad).to(logp.dtype)
    return -torch.einsum("btv,btv,bt->", q, logp, real) / real.sum()


# %% right: logsumexp_float64
def smoothed_loss(logits, targets, pad, smoothing):
    z = logits.double()
    norm = z.logsumexp(-1)
    right = z.gather(-1, targets[..., None]).squeeze(-1)
    loss = norm - (1 - smoothing) * right - smoothing * z.mean(-1)
    return loss[targets != pad].mean().float()


# %% right: loops
def smoothed_loss(logits, targets, pad, smoothing):
    total, count = 0.0, 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad:
                z = logits[b, t]
                logp = z - torch.logsumexp(z, 0)
                total = (
                    total
                    - (1 - smoothing) * logp[targets[b, t]]
                    - smoothing * logp.sum() / len(logp)
                )
                count += 1
    return total / count


# %% right: soft_targets
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = torch.full_like(logits, smoothing / V)
    q.scatter_add_(-1, targets.unsqueeze(-1), torch.full(targets.shape + (1,), 1 - smoothing))
    loss = -(q * F.log_softmax(logits, -1)).sum(-1)
    mask = (targets != pad).float()
    return (loss * mask).sum() / mask.sum()


# %% right: two_terms
def smoothed_loss(logits, targets, pad, smoothing):
    keep = targets != pad
    logp = logits[keep].log_softmax(-1)
    nll = F.nll_loss(logp, targets[keep])
    return (1 - smoothing) * nll - smoothing * logp.mean()


# %% right: einops_and_partial
from functools import partial


def smoothed_loss(logits, targets, pad, smoothing):
    words = einops.rearrange(logits, "b t v -> (b t) v")
    ids = einops.rearrange(targets, "b t -> (b t)")
    loss = partial(F.cross_entropy, ignore_index=pad, reduction="mean")
    real = ids.ne(pad)
    even = words[real].logsumexp(-1) - words[real].mean(-1)
    return torch.lerp(loss(input=words, target=ids), even.mean(), smoothing)


# %% right: kl_divergence_with_entropy
def smoothed_loss(logits, targets, pad, smoothing):
    real = (targets != pad).nonzero(as_tuple=True)
    logp = torch.log_softmax(logits[real].double(), dim=1)
    q = torch.zeros_like(logp).fill_(smoothing / logp.size(1))
    q[torch.arange(len(q)), targets[real]] += 1 - smoothing
    entropy = -torch.xlogy(q, q).sum(dim=1)
    return (F.kl_div(logp, q, reduction="none").sum(dim=1) + entropy).mean().to(logits.dtype)


# %% right: helper_class_word_by_word
class Average:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def __iadd__(self, value):
        self.total, self.count = self.total + value, self.count + 1
        return self


def smoothed_loss(logits, targets, pad, smoothing):
    average = Average()
    for row, ids in zip(logits, targets.tolist()):
        for scores, word in zip(row, ids):
            if word == pad:
                continue
            norm = scores.max() + (scores - scores.max()).exp().sum().log()
            average += norm - (1 - smoothing) * scores[word] - smoothing * scores.sum() / len(scores)
    return average.total / average.count


# %% wrong: overwrites_the_share (others-only)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    logp = torch.log_softmax(logits, -1)
    target = torch.full_like(logp, smoothing / V)
    target.scatter_(-1, targets.unsqueeze(-1), 1 - smoothing)
    loss = -(target * logp).sum(-1)
    return (loss * (targets != pad)).sum() / (targets != pad).sum()


# %% wrong: v_minus_one (others-only)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    logp = torch.log_softmax(logits, -1)
    target = torch.full_like(logp, smoothing / (V - 1))
    target.scatter_(-1, targets.unsqueeze(-1), 1 - smoothing)
    loss = -(target * logp).sum(-1)
    keep = targets != pad
    return loss[keep].mean()


# %% wrong: annotated (padding-is-no-word)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    logp = F.log_softmax(logits.reshape(-1, V), -1)
    t = targets.reshape(-1)
    true = torch.full_like(logp, smoothing / (V - 2))
    true.scatter_(1, t[:, None], 1 - smoothing)
    keep = t != pad
    true[:, pad] = 0
    return -(true * logp).sum(-1)[keep].mean()


# %% wrong: whole_s_each (not-divided)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = F.log_softmax(logits, -1)
    nll = -logp.gather(2, targets.unsqueeze(2)).squeeze(2)
    uniform = -logp.sum(-1)
    loss = (1 - smoothing) * nll + smoothing * uniform
    return loss[targets != pad].mean()


# %% wrong: on_top (not-reduced)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = F.log_softmax(logits, -1)
    keep = targets != pad
    nll = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    return nll - smoothing * logp.mean(-1)[keep].mean()


# %% wrong: swapped (roles-swapped)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = F.log_softmax(logits, -1)
    keep = targets != pad
    nll = -logp[keep].gather(1, targets[keep][:, None]).mean()
    uniform = -logp[keep].mean()
    return smoothing * nll + (1 - smoothing) * uniform


# %% wrong: plain (smoothing-ignored)
def smoothed_loss(logits, targets, pad, smoothing):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad)


# %% wrong: counts_padding (pad-counted)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V) + smoothing / V
    return -(q * logits.log_softmax(-1)).sum(-1).mean()


# %% wrong: wrong_count (pad-in-the-denominator)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V) + smoothing / V
    loss = -(q * logits.log_softmax(-1)).sum(-1)
    loss = loss.masked_fill(targets == pad, 0.0)
    return loss.mean()


# %% wrong: half_masked (pad-in-the-uniform-part)
def smoothed_loss(logits, targets, pad, smoothing):
    nll = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    uniform = -F.log_softmax(logits, dim=-1).mean()
    return (1 - smoothing) * nll + smoothing * uniform


# %% wrong: sentence_means (mean-of-sentences)
def smoothed_loss(logits, targets, pad, smoothing):
    losses = []
    for z, y in zip(logits, targets):
        keep = y != pad
        logp = z[keep].log_softmax(-1)
        nll = -logp[torch.arange(len(logp)), y[keep]]
        losses.append(((1 - smoothing) * nll - smoothing * logp.mean(-1)).mean())
    return torch.stack(losses).mean()


# %% wrong: summed (sum-over-tokens)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    nll = -logp.gather(-1, targets[..., None])[..., 0]
    loss = (1 - smoothing) * nll - smoothing * logp.mean(-1)
    return (loss * (targets != pad)).sum()


# %% wrong: per_token (not-averaged)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    nll = -logp.gather(-1, targets[..., None])[..., 0]
    loss = (1 - smoothing) * nll - smoothing * logp.mean(-1)
    return loss[targets != pad]


# %% wrong: log_of_softmax (unstable-log)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    p = torch.softmax(logits, dim=-1)
    q = (1 - smoothing) * F.one_hot(targets, V).float() + smoothing / V
    loss = -(q * torch.log(p)).sum(-1)
    return loss[targets != pad].mean()


# %% wrong: raw (no-softmax)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V).float() + smoothing / V
    loss = -(q * logits).sum(-1)
    return loss[targets != pad].mean()


# %% wrong: double_softmax (softmax-before-cross-entropy)
def smoothed_loss(logits, targets, pad, smoothing):
    probs = F.softmax(logits, dim=-1)
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V).float() + smoothing / V
    loss = F.cross_entropy(probs.flatten(0, 1), q.flatten(0, 1), reduction="none")
    return loss[targets.flatten() != pad].mean()


# %% wrong: positive_log (wrong-sign)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    right = logp.gather(-1, targets[..., None])[..., 0]
    return ((1 - smoothing) * right + smoothing * logp.mean(-1))[targets != pad].mean()


# %% wrong: a_number (no-gradient)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    nll = -logp.gather(-1, targets[..., None])[..., 0]
    loss = (1 - smoothing) * nll - smoothing * logp.mean(-1)
    return torch.tensor(loss[targets != pad].mean().item())


# %% wrong: built_in (not-allowed)
def smoothed_loss(logits, targets, pad, smoothing):
    return F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad, label_smoothing=smoothing
    )


# %% wrong: built_in_by_position (not-allowed)
def smoothed_loss(logits, targets, pad, smoothing):
    return F.cross_entropy(
        logits.transpose(1, 2), targets, None, None, pad, None, "mean", smoothing
    )


# %% wrong: print_only (returns-nothing)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    nll = -logp.gather(-1, targets[..., None])[..., 0]
    loss = ((1 - smoothing) * nll - smoothing * logp.mean(-1))[targets != pad].mean()


# %% wrong: shared_by_all_but_padding (padding-is-no-word)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = torch.full((V,), smoothing / (V - 1))
    q[pad] = 0
    q = q.expand_as(logits) + (1 - smoothing) * F.one_hot(targets, V)
    loss = -(q * logits.log_softmax(-1)).sum(-1)
    return loss[targets != pad].mean()


# %% wrong: column_of_padding_zeroed (padding-is-no-word)
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    q = (1 - smoothing) * F.one_hot(targets, V) + smoothing / V
    q[..., pad] = 0
    loss = -(q * logits.log_softmax(-1)).sum(-1)
    return loss[targets != pad].mean()


# %% wrong: cut_at_the_first_padding (no name)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    loss = -(1 - smoothing) * logp.gather(-1, targets[..., None])[..., 0] - smoothing * logp.mean(-1)
    real = (targets != pad).long().cumprod(-1).bool()
    return loss[real].mean() if real.any() else 0 * loss.sum()


# %% wrong: padding_is_zero (pad-is-not-always-0)
def smoothed_loss(logits, targets, pad, smoothing):
    logp = logits.log_softmax(-1)
    right = logp.gather(-1, targets[..., None])[..., 0]
    each = -(1 - smoothing) * right - smoothing * logp.mean(-1)
    return each[targets != 0].mean()
