# %% wrong: shared_by_the_others (others-only)
# spreads s over the V - 1 wrong words only: breaks "s / V on **each** of the V words, the right
# one … included"
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    logp = F.log_softmax(logits, dim=-1)
    q = torch.full_like(logp, smoothing / (V - 1))
    q = q.scatter(-1, targets.unsqueeze(-1), 1 - smoothing)
    loss = -(q * logp).sum(-1)
    return loss[targets != pad].mean()

# %% wrong: nothing_for_padding (padding-is-no-word)
# gives the padding word no share of s (as in the Annotated Transformer): breaks "s / V on
# **each** of the V words, the right one and padding included"
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.shape[-1]
    logp = logits.log_softmax(-1)
    dist = F.one_hot(targets, V).to(logp.dtype) * (1 - smoothing) + smoothing / V
    dist[..., pad] = 0.0
    loss = -(dist * logp).sum(-1)
    real = targets != pad
    return (loss * real).sum() / real.sum()

# %% wrong: mean_of_sentence_means (mean-of-sentences)
# takes the mean of each sentence first and then the mean of those: breaks "the mean over the
# other positions of all sentences together"
def smoothed_loss(logits, targets, pad, smoothing):
    logp = F.log_softmax(logits, dim=-1)
    right = -logp.gather(-1, targets[..., None]).squeeze(-1)
    uniform = -logp.mean(-1)
    loss = (1 - smoothing) * right + smoothing * uniform  # (B, T)
    real = (targets != pad).float()
    rows = real.sum(1) > 0
    per_sentence = (loss * real).sum(1)[rows] / real.sum(1)[rows]
    return per_sentence.mean()

# %% wrong: log_of_softmax (unstable-log)
# takes the logarithm of the softmax, which underflows to log 0: breaks "It must be finite for
# logits of ±200"
def smoothed_loss(logits, targets, pad, smoothing):
    V = logits.size(-1)
    p = torch.softmax(logits, dim=-1)
    target = (1 - smoothing) * F.one_hot(targets, V) + smoothing / V
    loss = -(target * torch.log(p)).sum(dim=-1)
    keep = targets != pad
    return loss[keep].sum() / keep.sum()

# %% right: soft_targets
# picks the real positions first and gives torch's cross entropy whole distributions as targets
def smoothed_loss(logits, targets, pad, smoothing):
    real = targets.ne(pad)
    vocabulary = logits.shape[-1]
    wanted = torch.eye(vocabulary, dtype=logits.dtype, device=logits.device)[targets[real]]
    wanted = torch.lerp(wanted, torch.full_like(wanted, 1 / vocabulary), smoothing)
    return F.cross_entropy(logits[real], wanted)
