# %% right: all_permutations
def is_equivariant(layer, x):
    from itertools import permutations

    out = layer(x)
    for order in permutations(range(x.shape[1])):
        order = list(order)
        if not torch.allclose(layer(x[:, order]), out[:, order], atol=1e-5):
            return False
    return True


# %% right: neighbours
@torch.no_grad()
def is_equivariant(layer, x):
    y = layer(x)
    for t in range(x.shape[1] - 1):
        order = torch.arange(x.shape[1])
        order[t : t + 2] = order[t : t + 2].flip(0)
        if (layer(x[:, order]) - y[:, order]).abs().max() > 1e-5:
            return False
    return True


# %% right: many_random
def is_equivariant(layer, x):
    T = x.shape[1]
    y = layer(x)
    same = torch.tensor(True)
    for _ in range(60):
        order = torch.randperm(T)
        same = same & torch.isclose(layer(x[:, order]), y[:, order], atol=1e-5).all()
    return same


# %% right: undone
def is_equivariant(layer, x):
    # permute, run, and put the outputs back where they belong
    y = layer(x)
    worst = 0.0
    for _ in range(80):
        order = torch.randperm(x.shape[1])
        back = torch.argsort(order)
        worst = max(worst, (layer(x[:, order])[:, back] - y).abs().max().item())
    return worst < 3e-5


# %% right: matrices
def is_equivariant(layer, x):
    T = x.shape[1]
    for a in range(T):
        for b in range(a):
            P = torch.eye(T)
            P[[a, b]] = P[[b, a]]
            if not torch.allclose(layer(P @ x), P @ layer(x), atol=1e-5):
                return False
    return True


# %% right: one_swap_and_one_turn
def is_equivariant(layer, x):
    # a swap and a turn of the circle generate all permutations
    steps = list(range(x.shape[1]))
    orders = [steps[1:] + steps[:1], steps[:2][::-1] + steps[2:]]
    y = layer(x)
    return all(((layer(x[:, o]) - y[:, o]).abs() <= 1e-5).all().item() for o in orders)


# %% wrong: first_swap_and_reversal (no name)
def is_equivariant(layer, x):
    steps = x.shape[1]
    y = layer(x)
    orders = [[*range(steps - 1, -1, -1)]]
    if steps > 1:
        orders.append([1, 0, *range(2, steps)])
    return all(bool((layer(x[:, o]) - y[:, o]).abs().max() < 3e-5) for o in orders)


# %% wrong: swapped_answer (inverted)
def is_equivariant(layer, x):
    y = layer(x)
    for _ in range(60):
        order = torch.randperm(x.shape[1])
        if not torch.allclose(layer(x[:, order]), y[:, order], atol=1e-5):
            return True
    return False


# %% wrong: true (always-true)
def is_equivariant(layer, x):
    return True


# %% wrong: batch_axis (always-true)
def is_equivariant(layer, x):
    y = layer(x)
    for _ in range(30):
        order = torch.randperm(len(x))
        if not torch.allclose(layer(x[order]), y[order], atol=1e-5):
            return False
    return True


# %% wrong: permutes_the_output_twice (always-true)
def is_equivariant(layer, x):
    for _ in range(30):
        order = torch.randperm(x.shape[1])
        if not torch.allclose(layer(x)[:, order], layer(x)[:, order], atol=1e-5):
            return False
    return True


# %% wrong: false (always-false)
def is_equivariant(layer, x):
    return False


# %% wrong: stays_the_same (invariance)
def is_equivariant(layer, x):
    y = layer(x)
    for _ in range(60):
        order = torch.randperm(x.shape[1])
        if not torch.allclose(layer(x[:, order]), y, atol=1e-5):
            return False
    return True


# %% wrong: inverse (wrong-way-back)
def is_equivariant(layer, x):
    y = layer(x)
    for _ in range(200):
        order = torch.randperm(x.shape[1])
        if not torch.allclose(layer(x[:, order]), y[:, order.argsort()], atol=1e-5):
            return False
    return True


# %% wrong: permuted_again (wrong-way-back)
def is_equivariant(layer, x):
    from itertools import permutations

    y = layer(x)
    for order in permutations(range(x.shape[1])):
        if not torch.allclose(layer(x[:, list(order)])[:, list(order)], y, atol=1e-5):
            return False
    return True


# %% wrong: means (pooled)
def is_equivariant(layer, x):
    y = layer(x).mean(1)
    for _ in range(60):
        order = torch.randperm(x.shape[1])
        if not torch.allclose(layer(x[:, order]).mean(1), y, atol=1e-5):
            return False
    return True


# %% wrong: flipped (only-reversed)
def is_equivariant(layer, x):
    return torch.allclose(layer(x.flip(1)), layer(x).flip(1), atol=1e-5)


# %% wrong: one_roll (only-rolled)
def is_equivariant(layer, x):
    return torch.allclose(layer(x.roll(1, dims=1)), layer(x).roll(1, dims=1), atol=1e-5)


# %% wrong: rolls (only-rolled)
def is_equivariant(layer, x):
    y = layer(x)
    for k in range(1, x.shape[1]):
        if not torch.allclose(layer(torch.roll(x, k, 1)), torch.roll(y, k, 1), atol=1e-5):
            return False
    return True


# %% wrong: one_turn_and_the_flip (turned-and-mirrored)
def is_equivariant(layer, x):
    T = x.shape[1]
    y = layer(x)
    for order in (list(range(1, T)) + [0], list(range(T))[::-1]):
        if not torch.allclose(layer(x[:, order]), y[:, order], atol=1e-5):
            return False
    return True


# %% wrong: all_turns_and_the_flip (turned-and-mirrored)
def is_equivariant(layer, x):
    y = layer(x)
    turns = [
        torch.allclose(layer(x.roll(k, 1)), y.roll(k, 1), atol=1e-5) for k in range(x.shape[1])
    ]
    return all(turns) and torch.allclose(layer(x.flip(1)), y.flip(1), atol=1e-5)


# %% wrong: one_at_random (one-random-order)
def is_equivariant(layer, x):
    torch.manual_seed(0)
    order = torch.randperm(x.shape[1])
    return torch.allclose(layer(x[:, order]), layer(x)[:, order], atol=1e-5)


# %% wrong: one_of_the_batch (always-true)
def is_equivariant(layer, x):
    order = torch.randperm(len(x))
    return torch.allclose(layer(x[order]), layer(x)[order], atol=1e-5)


# %% wrong: first_pair (first-two)
def is_equivariant(layer, x):
    order = torch.arange(x.shape[1])
    order[:2] = order[:2].flip(0)
    return torch.allclose(layer(x[:, order]), layer(x)[:, order], atol=1e-5)


# %% wrong: ends (first-and-last)
def is_equivariant(layer, x):
    order = list(range(x.shape[1]))
    order[0], order[-1] = order[-1], order[0]
    return torch.allclose(layer(x[:, order]), layer(x)[:, order], atol=1e-5)


# %% wrong: last_pair (last-two)
def is_equivariant(layer, x):
    order = list(range(x.shape[1]))
    order[-2:] = order[-2:][::-1]
    return torch.allclose(layer(x[:, order]), layer(x)[:, order], atol=1e-5)


# %% wrong: first_sentence (first-sentence-only)
def is_equivariant(layer, x):
    y = layer(x)
    for _ in range(60):
        order = torch.randperm(x.shape[1])
        if not torch.allclose(layer(x[:, order])[0], y[0, order], atol=1e-5):
            return False
    return True


# %% wrong: generous (loose-tolerance)
def is_equivariant(layer, x):
    y = layer(x)
    for _ in range(60):
        order = torch.randperm(x.shape[1])
        if (layer(x[:, order]) - y[:, order]).abs().max() > 1e-2:
            return False
    return True


# %% wrong: to_the_last_bit (flags-rounding)
def is_equivariant(layer, x):
    from itertools import permutations

    y = layer(x)
    for order in permutations(range(x.shape[1])):
        if not torch.equal(layer(x[:, list(order)]), y[:, list(order)]):
            return False
    return True


# %% wrong: no_absolute_value (no name)
def is_equivariant(layer, x):
    y = layer(x)
    for t in range(x.shape[1] - 1):
        order = torch.arange(x.shape[1])
        order[t : t + 2] = order[t : t + 2].flip(0)
        if (layer(x[:, order]) - y[:, order]).sum() > 1e-5:
            return False
    return True


# %% wrong: a_number (no name)
def is_equivariant(layer, x):
    y = layer(x)
    worst = torch.zeros(())
    for _ in range(60):
        order = torch.randperm(x.shape[1])
        worst = torch.maximum(worst, (layer(x[:, order]) - y[:, order]).abs().max())
    return worst
