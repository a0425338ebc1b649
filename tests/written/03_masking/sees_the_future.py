# %% wrong: exactly_equal (flags-rounding)
# demands that the outputs agree bit by bit, so rounding is taken for a leak; breaks "What does
# not depend does not change, but for rounding: differences above about 10^-6 count"
def sees_the_future(layer, x):
    before = layer(x)
    for t in range(x.shape[1] - 1):
        changed = x.clone()
        changed[:, t + 1:] += torch.randn_like(changed[:, t + 1:])
        if not torch.equal(layer(changed)[:, :t + 1], before[:, :t + 1]):
            return True
    return False

# %% wrong: only_the_next_step (only-the-next-step)
# changes step t + 1 alone and looks at the output of step t alone; breaks "a single position that
# sees a single later one (the next, or one far ahead)"
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.size(1) - 1):
        x2 = x.clone()
        x2[:, t + 1] = x2[:, t + 1] + torch.randn(x.size(0), x.size(2), dtype=x.dtype)
        y2 = layer(x2)
        if (y2[:, t] - y[:, t]).abs().max() > 1e-6:
            return True
    return False

# %% wrong: reversed_future (no name)
# turns the order of the later steps around as its change, which does nothing to the last step
# alone nor to layers that only sum; breaks "Change at random" and "a single position that sees a
# single later one (the next ...)"
def sees_the_future(layer, x):
    original = layer(x)
    for t in range(1, x.shape[1]):
        changed = torch.cat([x[:, :t], x[:, t:].flip(1)], dim=1)
        difference = (layer(changed)[:, :t] - original[:, :t]).abs()
        if difference.max() > 1e-6:
            return True
    return False

# %% wrong: present_counts_too (includes-the-present)
# compares the outputs up to and including the first step that was changed; breaks "An output may
# depend on the *present* and on the past; that is not a leak"
def sees_the_future(layer, x):
    T = x.shape[1]
    y = layer(x)
    for t in range(1, T):
        noisy = x.clone()
        noisy[:, t:] = torch.randn_like(noisy[:, t:])
        if ((layer(noisy) - y)[:, :t + 1].abs() > 1e-6).any():
            return True
    return False

# %% right: from_the_end_with_any
# one expression over all bars, from the last one to the first, with a helper for one bar
def sees_the_future(layer, x):
    before = layer(x.clone())

    def leaks(bar):
        future = x[:, bar:] + torch.randn_like(x[:, bar:])
        moved = layer(torch.cat((x[:, :bar], future), 1)) - before
        return moved[:, :bar].abs().max().item() > 1e-6

    return any(map(leaks, reversed(range(1, x.size(1)))))
