# %% wrong: either_is_pad (either-decides)
# ignores all places where prediction or target is pad, so a sentence that stops early passes;
# breaks "A prediction that stops too early, and has `pad` where the target has a word, is wrong"
def exact_match(predicted, target, pad):
    ignore = (target == pad) | (predicted == pad)
    right = (predicted == target) | ignore
    return right.all(dim=1).float().mean()

# %% wrong: empty_targets_skipped (no name)
# leaves sentences without a real token out of the mean; breaks "A target of nothing but padding
# counts as right"
def exact_match(predicted, target, pad):
    real = target != pad
    correct = ((predicted == target) | ~real).all(dim=1)
    sentences = real.any(dim=1)
    return correct[sentences].sum().item() / max(1, sentences.sum().item())

# %% wrong: counts_matching_padding (no name)
# compares the number of agreeing places, padding included, with the number of real tokens; breaks
# "What the model writes where the target is `pad` does not matter"
def exact_match(predicted, target, pad):
    hits = (predicted == target).sum(dim=1)
    length = (target != pad).sum(dim=1)
    return (hits == length).float().mean()

# %% right: python_lists
# no tensor operations at all, only lists, zip and all
def exact_match(predicted, target, pad):
    pairs = list(zip(predicted.tolist(), target.tolist()))
    good = sum(all(p == t for p, t in zip(ps, ts) if t != pad) for ps, ts in pairs)
    return good / len(pairs)
