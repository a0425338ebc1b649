# %% right: count_of_errors
def exact_match(predicted, target, pad):
    errors = ((predicted != target) * (target != pad)).sum(dim=1)
    return (errors == 0).double().mean()


# %% right: loop
def exact_match(predicted, target, pad):
    hits = 0
    for p, t in zip(predicted.tolist(), target.tolist()):
        hits += all(a == b for a, b in zip(p, t) if b != pad)
    return hits / len(target)


# %% right: minimum
def exact_match(predicted, target, pad):
    predicted = torch.where(target == pad, pad, predicted)
    return (predicted == target).int().amin(1).sum() / target.size(0)


# %% right: multiplied_mask
def exact_match(predicted, target, pad):
    mask = target.ne(pad)
    return torch.mean(((predicted * mask) == (target * mask)).all(1), dtype=torch.float32)


# %% right: product
def exact_match(predicted, target, pad):
    right = (predicted == target).float()
    right[target == pad] = 1
    return right.prod(1).mean()


# %% right: tensors
def exact_match(predicted, target, pad):
    return ((predicted == target) | (target == pad)).all(-1).float().mean()


# %% wrong: tokens (token-accuracy)
def exact_match(predicted, target, pad):
    real = (target != pad).float()
    return ((predicted == target).float() * real).sum() / real.sum()


# %% wrong: all_positions (token-accuracy-with-padding)
def exact_match(predicted, target, pad):
    return torch.eq(predicted, target).double().mean().float()


# %% wrong: positions_padding_right (token-accuracy-padding-free)
def exact_match(predicted, target, pad):
    filled = torch.where(target == pad, target, predicted)
    return (filled == target).float().mean()


# %% wrong: mean_of_sentences (mean-accuracy)
def exact_match(predicted, target, pad):
    shares = []
    for p, t in zip(predicted, target):
        keep = t != pad
        shares.append((p[keep] == t[keep]).float().mean())
    return torch.stack(shares).mean()


# %% wrong: equal_rows (padding-compared)
def exact_match(predicted, target, pad):
    same = [torch.equal(p, t) for p, t in zip(predicted, target)]
    return sum(same) / len(same)


# %% wrong: prediction_masks (prediction-decides)
def exact_match(predicted, target, pad):
    wrong = (predicted != target) & (predicted != pad)
    return (~wrong.any(dim=1)).float().mean()


# %% wrong: both_mask (either-decides)
def exact_match(predicted, target, pad):
    counts = (predicted != pad) & (target != pad)
    wrong = (predicted != target) & counts
    return 1.0 - wrong.any(1).float().mean()


# %% wrong: any_position (any-token)
def exact_match(predicted, target, pad):
    ok = (predicted == target) + (target == pad)
    return (ok.sum(1) > 0).float().mean()


# %% wrong: any_real (any-real-token)
def exact_match(predicted, target, pad):
    hits = ((predicted == target) * (target != pad)).sum(1)
    return (hits >= 1).float().mean()


# %% wrong: padding_wrong (padding-is-wrong)
def exact_match(predicted, target, pad):
    good = ((predicted == target) & (target != pad)).sum(dim=1)
    return (good == target.shape[1]).float().mean()


# %% wrong: columns (wrong-axis)
def exact_match(predicted, target, pad):
    return ((predicted == target) | (target == pad)).all(dim=0).float().mean()


# %% wrong: whole_batch (all-or-nothing-for-the-batch)
def exact_match(predicted, target, pad):
    keep = target != pad
    return float(torch.equal(predicted[keep], target[keep]))


# %% wrong: pad_zero (pad-is-not-always-0)
def exact_match(predicted, target, pad):
    right = (predicted == target).logical_or(target == 0)
    return right.all(-1).float().mean()


# %% wrong: count (counted)
def exact_match(predicted, target, pad):
    wrong = ((predicted != target) & (target != pad)).any(1)
    return len(target) - int(wrong.sum())


# %% wrong: vector (one-per-sentence)
def exact_match(predicted, target, pad):
    return ~((predicted != target) & (target != pad)).any(1)


# %% wrong: errors (error-rate)
def exact_match(predicted, target, pad):
    return ((predicted != target) & (target != pad)).any(1).float().mean()


# %% wrong: bool_mean (mean-of-truth-values)
def exact_match(predicted, target, pad):
    right = (predicted == target) | (target == pad)
    return right.all(dim=1).mean()


# %% wrong: percent (no name)
def exact_match(predicted, target, pad):
    right = (predicted == target) | (target == pad)
    return 100 * right.all(dim=1).float().mean()


# %% right: real_places_only
def exact_match(predicted, target, pad):
    real = target != pad
    return sum(bool((p[r] == t[r]).all()) for p, t, r in zip(predicted, target, real)) / len(target)


# %% wrong: first_pad (cut-at-the-first-pad)
def exact_match(predicted, target, pad):
    right = 0
    for p, t in zip(predicted.tolist(), target.tolist()):
        n = t.index(pad) if pad in t else len(t)
        right += p[:n] == t[:n]
    return right / len(target)


# %% wrong: without_pads (pads-removed)
def exact_match(predicted, target, pad):
    right = 0
    for p, t in zip(predicted.tolist(), target.tolist()):
        right += [x for x in p if x != pad] == [x for x in t if x != pad]
    return right / len(target)


# %% wrong: up_to_pad (pad-is-not-the-smallest)
def exact_match(predicted, target, pad):
    return ((predicted == target) | (target <= pad)).all(1).float().mean()
