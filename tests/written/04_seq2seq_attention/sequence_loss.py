# %% wrong: reshaped_axes (reshaped-not-transposed)
# brings the classes to axis 1 with a reshape instead of a transpose, which scrambles places and
# words; breaks "Logits and targets belong together position by position"
def sequence_loss(logits, targets, pad):
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, T), targets, ignore_index=pad)

# %% wrong: shifted_again (shifted-again)
# predicts the next token from each place although that has been arranged by the caller; breaks
# "the shift has already been made"
def sequence_loss(logits, targets, pad):
    V = logits.shape[-1]
    return F.cross_entropy(logits[:, :-1].reshape(-1, V), targets[:, 1:].reshape(-1), ignore_index=pad)

# %% wrong: stops_at_first_pad (no name)
# counts the tokens up to the first padding and nothing after it; breaks "`pad` ... can stand
# anywhere in a sentence"
def sequence_loss(logits, targets, pad):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    real = (targets != pad).long().cumprod(dim=1).to(losses.dtype)
    return (losses * real).sum() / real.sum()

# %% wrong: log_of_protected_softmax (unstable-log)
# takes the log of softmax plus 1e-9, which stays finite but never exceeds 20.7; breaks "the mean
# cross entropy" for logits "as large as ±300"
def sequence_loss(logits, targets, pad):
    p = torch.softmax(logits, dim=-1)
    p_true = p.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    nll = -torch.log(p_true + 1e-9)
    real = targets != pad
    return nll[real].mean()

# %% right: class_weights
# gives the class `pad` a weight of zero, and the weighted mean of cross_entropy does the rest
def sequence_loss(logits, targets, pad):
    weight = logits.new_ones(logits.size(-1))
    weight[pad] = 0
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), weight=weight)
