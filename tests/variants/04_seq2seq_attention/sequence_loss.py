# %% right: class_weights
def sequence_loss(logits, targets, pad):
    weight = torch.ones(logits.shape[-1])
    weight[pad] = 0.0
    return F.cross_entropy(logits.transpose(1, 2), targets, weight=weight)


# %% right: flattened
def sequence_loss(logits, targets, pad):
    return F.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), ignore_index=pad
    )


# %% right: indexing
def sequence_loss(logits, targets, pad):
    real = targets != pad
    return F.cross_entropy(logits[real], targets[real])


# %% right: log_softmax_by_hand
def sequence_loss(logits, targets, pad):
    log_p = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    chosen = log_p.gather(-1, targets[..., None]).squeeze(-1)
    weight = (targets != pad).to(logits.dtype)
    return -(chosen * weight).sum() / weight.sum()


# %% right: loop_in_double
def sequence_loss(logits, targets, pad):
    total, count = 0.0, 0
    for b in range(targets.shape[0]):
        for t in range(targets.shape[1]):
            if targets[b, t] != pad:
                row = logits[b, t].double()
                total = total + torch.logsumexp(row, 0) - row[targets[b, t]]
                count += 1
    return (total / count).to(logits.dtype)


# %% right: module
def sequence_loss(logits, targets, pad):
    return nn.CrossEntropyLoss(ignore_index=pad)(logits.permute(0, 2, 1), targets)


# %% right: one_hot
def sequence_loss(logits, targets, pad):
    wanted = F.one_hot(targets, logits.shape[-1]) * (targets != pad)[..., None]
    return -(wanted * F.log_softmax(logits, -1)).sum() / wanted.sum()


# %% wrong: all_positions (padding-counted)
def sequence_loss(logits, targets, pad):
    vocabulary = logits.shape[-1]
    return F.cross_entropy(logits.reshape(-1, vocabulary), targets.reshape(-1))


# %% wrong: mask_then_mean (zeroed-but-divided-by-all)
def sequence_loss(logits, targets, pad):
    losses = -logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    losses = losses.masked_fill(targets == pad, 0.0)
    return losses.mean()


# %% wrong: mean_of_means (mean-of-means)
def sequence_loss(logits, targets, pad):
    per_sentence = []
    for scores, words in zip(logits, targets):
        per_sentence.append(F.cross_entropy(scores, words, ignore_index=pad))
    return torch.stack(per_sentence).mean()


# %% wrong: mean_of_means_guarded (mean-of-means)
def sequence_loss(logits, targets, pad):
    per_sentence = []
    for scores, words in zip(logits, targets):
        keep = words != pad
        total = F.cross_entropy(scores, words, ignore_index=pad, reduction="sum")
        per_sentence.append(total / max(int(keep.sum()), 1))
    return torch.stack(per_sentence).mean()


# %% wrong: summed (summed)
def sequence_loss(logits, targets, pad):
    return F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(), ignore_index=pad, reduction="sum"
    )


# %% wrong: per_sentence (per-sentence)
def sequence_loss(logits, targets, pad):
    total = F.nll_loss(logits.log_softmax(-1).mT, targets, ignore_index=pad, reduction="sum")
    return total / targets.size(0)


# %% wrong: viewed (reshaped-not-transposed)
def sequence_loss(logits, targets, pad):
    B, T, V = logits.shape
    criterion = nn.CrossEntropyLoss(ignore_index=pad)
    return criterion(logits.view(B, V, T), targets)


# %% wrong: softmax_first (softmax-first)
def sequence_loss(logits, targets, pad):
    probabilities = torch.softmax(logits, dim=2)
    return F.cross_entropy(probabilities.permute(0, 2, 1), targets, ignore_index=pad)


# %% wrong: log_of_softmax (unstable-log)
def sequence_loss(logits, targets, pad):
    log_p = torch.log(F.softmax(logits, dim=-1))
    return F.nll_loss(log_p.transpose(1, 2), targets, ignore_index=pad)


# %% wrong: no_log (probability-not-log)
def sequence_loss(logits, targets, pad):
    return F.nll_loss(logits.softmax(-1).transpose(1, 2), targets, ignore_index=pad)


# %% wrong: no_minus (sign-lost)
def sequence_loss(logits, targets, pad):
    log_p = logits.log_softmax(-1)
    chosen = torch.gather(log_p, 2, targets[:, :, None])[:, :, 0]
    real = (targets != pad).float()
    return (chosen * real).sum() / real.sum()


# %% wrong: pad_zero (pad-is-not-always-0)
def sequence_loss(logits, targets, pad):
    keep = targets > 0
    return F.cross_entropy(logits[keep], targets[keep])


# %% wrong: shifted_again (shifted-again)
def sequence_loss(logits, targets, pad):
    predictions = logits[:, :-1].flatten(0, 1)
    words = targets[:, 1:].flatten()
    return F.cross_entropy(predictions, words, ignore_index=pad)


# %% wrong: mask_from_prediction (mask-from-the-prediction)
def sequence_loss(logits, targets, pad):
    predicted = logits.max(-1).indices
    keep = predicted != pad
    return F.cross_entropy(logits[keep], targets[keep])


# %% wrong: inverted (only-padding)
def sequence_loss(logits, targets, pad):
    mask = targets.eq(pad)
    return F.cross_entropy(logits[mask], targets[mask])


# %% wrong: per_token (one-loss-per-token)
def sequence_loss(logits, targets, pad):
    return -logits.log_softmax(-1).gather(-1, targets[..., None])[..., 0]


# %% wrong: perplexity (perplexity)
def sequence_loss(logits, targets, pad):
    return torch.exp(F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad))


# %% wrong: item (no-gradient)
def sequence_loss(logits, targets, pad):
    loss = F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad)
    return torch.tensor(loss.item())


# %% wrong: accuracy (no name)
def sequence_loss(logits, targets, pad):
    wrong = logits.argmax(-1) != targets
    return wrong[targets != pad].float().mean()


# %% wrong: classes_on_the_wrong_axis (classes-on-the-last-axis)
def sequence_loss(logits, targets, pad):
    return F.cross_entropy(logits, targets, ignore_index=pad)


# %% wrong: smoothed (no name)
def sequence_loss(logits, targets, pad):
    return F.cross_entropy(logits.transpose(1, 2), targets, ignore_index=pad, label_smoothing=0.1)


# %% wrong: means_of_nonempty_sentences (mean-of-means)
def sequence_loss(logits, targets, pad):
    losses = []
    for l, t in zip(logits, targets):
        if (t != pad).any():
            losses.append(F.cross_entropy(l[t != pad], t[t != pad]))
    return torch.stack(losses).mean()


# %% wrong: classes_last_masked (classes-on-the-last-axis)
def sequence_loss(logits, targets, pad):
    each = F.cross_entropy(logits, targets, reduction="none")
    return each[targets != pad].mean()


# %% wrong: log_of_softmax_times_mask (unstable-log)
def sequence_loss(logits, targets, pad):
    logp = torch.log(torch.softmax(logits, -1))
    real = targets != pad
    picked = logp.gather(-1, targets[..., None]).squeeze(-1)
    return -(picked * real).sum() / real.sum()


# %% wrong: nll_of_log_of_softmax (unstable-log)
def sequence_loss(logits, targets, pad):
    logp = torch.log(torch.softmax(logits, -1))
    return F.nll_loss(logp.flatten(0, 1), targets.flatten(), ignore_index=pad)
