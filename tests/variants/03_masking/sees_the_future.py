# %% right: default_tolerance
def sees_the_future(layer, x):
    B, T, D = x.shape
    for now in range(T):
        for later in range(now + 1, T):
            z = x.clone()
            z[:, later, :] += torch.randn(B, D) * 3
            if not torch.allclose(layer(z)[:, now], layer(x)[:, now]):
                return True
    return False


# %% right: every_cut_no_grad
@torch.no_grad()
def sees_the_future(layer, x):
    before = layer(x)
    leaks = torch.tensor(False)
    for t in range(x.shape[1] - 1):
        after = layer(torch.cat([x[:, : t + 1], torch.rand_like(x[:, t + 1 :]) * 4 - 2], dim=1))
        leaks = leaks | ~torch.isclose(after[:, : t + 1], before[:, : t + 1], atol=1e-6).all()
    return leaks


# %% right: gradient
def sees_the_future(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    for t in range(x.shape[1] - 1):
        (g,) = torch.autograd.grad(
            (y[:, t] * torch.randn_like(y[:, t])).sum(), x, retain_graph=True
        )
        if g[:, t + 1 :].abs().max() > 0:
            return True
    return False


# %% right: jacobian
def sees_the_future(layer, x):
    jac = torch.autograd.functional.jacobian(layer, x.detach())  # (B, T, E, B, T, D)
    influence = jac.abs().sum(dim=(0, 2, 3, 5))  # (T, T): output step, input step
    return bool(influence.triu(1).max() > 0)


# %% right: own_input
def sees_the_future(layer, x):
    g = torch.Generator().manual_seed(7)
    a, b = torch.randn(x.shape, generator=g), torch.randn(x.shape, generator=g)
    for t in range(1, x.shape[1]):
        mixed = torch.cat([a[:, :t], b[:, t:]], dim=1)
        if (layer(mixed)[:, :t] - layer(a)[:, :t]).abs().max().item() > 1e-6:
            return True
    return False


# %% right: step_by_step
def sees_the_future(layer, x):
    T = x.size(1)
    y = layer(x)
    for s in range(1, T):
        changed = x.clone()
        changed[:, s] = changed[:, s] + torch.randn(x.size(0), x.size(2))
        difference = (layer(changed) - y).abs().amax(dim=(0, 2))  # (T,)
        if bool((difference[:s] > 1e-7).any()):
            return True
    return False


# %% right: zeros
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = 0
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False


# %% wrong: is_causal (inverted)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-6):
            return False
    return True


# %% wrong: true (always-true)
def sees_the_future(layer, x):
    return True


# %% wrong: alias (always-false)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = torch.randn_like(z[:, t:])
        if not torch.allclose(layer(x)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False


# %% wrong: whole_output (compares-changed-steps)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z), y, atol=1e-6):
            return True
    return False


# %% wrong: present_too (includes-the-present)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z)[:, : t + 1], y[:, : t + 1], atol=1e-6):
            return True
    return False


# %% wrong: other_past (changes-the-past)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, :t] = torch.randn_like(z[:, :t])
        if not torch.allclose(layer(z)[:, t:], y[:, t:], atol=1e-6):
            return True
    return False


# %% wrong: one_step_short (misses-one-step)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.shape[1]):
        z = x.clone()
        z[:, t + 1 :] = torch.randn_like(z[:, t + 1 :])
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False


# %% wrong: last_step (only-the-last-step)
def sees_the_future(layer, x):
    if x.shape[1] == 1:
        return False
    z = x.clone()
    z[:, -1] += torch.randn_like(z[:, -1])
    return not torch.allclose(layer(z)[:, :-1], layer(x)[:, :-1], atol=1e-6)


# %% wrong: first_output (only-the-first-output)
def sees_the_future(layer, x):
    z = x.clone()
    z[:, 1:] += torch.randn_like(z[:, 1:])
    return not torch.allclose(layer(z)[:, 0], layer(x)[:, 0], atol=1e-6)


# %% wrong: middle_cut (one-cut)
def sees_the_future(layer, x):
    t = x.shape[1] // 2
    if t == 0:
        return False
    z = x.clone()
    z[:, t:] += torch.randn_like(z[:, t:])
    return bool((layer(z)[:, :t] - layer(x)[:, :t]).abs().max() > 1e-6)


# %% wrong: neighbour (only-the-next-step)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.shape[1] - 1):
        z = x.clone()
        z[:, t + 1] += torch.randn_like(z[:, t + 1])
        if not torch.allclose(layer(z)[:, t], y[:, t], atol=1e-6):
            return True
    return False


# %% wrong: tolerant (loose-tolerance)
def sees_the_future(layer, x):
    torch.manual_seed(0)
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-2):
            return True
    return False


# %% wrong: first_sentence (first-sentence-only)
def sees_the_future(layer, x):
    y = layer(x)[0]
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z)[0, :t], y[:t], atol=1e-6):
            return True
    return False


# %% wrong: mean_of_the_differences (mean-difference)
def sees_the_future(layer, x):
    before = layer(x)
    for t in range(1, x.shape[1]):
        changed = x.clone()
        changed[:, t:] = torch.randn_like(changed[:, t:])
        if (layer(changed)[:, :t] - before[:, :t]).abs().mean() > 1e-6:
            return True
    return False


# %% wrong: plus_one (constant-shift)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += 1.0
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False


# %% wrong: nans (nan-probe)
def sees_the_future(layer, x):
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = float("nan")
        if layer(z)[:, :t].isnan().any():
            return True
    return False


# %% wrong: in_place (changes-its-input)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.shape[1] - 1, 0, -1):
        x[:, t] += torch.randn_like(x[:, t])
        if not torch.allclose(layer(x)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False


# %% wrong: reads_the_weights (not-allowed)
def sees_the_future(layer, x):
    return bool((layer._mixing[0].triu(1) != 0).any())


# %% wrong: batch_axis (always-false)
def sees_the_future(layer, x):
    y = layer(x)
    for b in range(1, x.shape[0]):
        z = x.clone()
        z[b:] += torch.randn_like(z[b:])
        if not torch.allclose(layer(z)[:b], y[:b], atol=1e-6):
            return True
    return False


# %% wrong: bitwise (flags-rounding)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(x.shape[1] - 1, 0, -1):
        z = x.clone()
        z[:, t:] = 2 * torch.randn_like(z[:, t:])
        if not torch.equal(layer(z)[:, :t], y[:, :t]):
            return True
    return False


# %% right: clock_and_einops
import time


def sees_the_future(layer, x):
    began = time.time()
    y = layer(x)
    noise = einops.repeat(torch.randn(x.shape[2]), "d -> b time d", b=x.shape[0], time=x.shape[1])
    for t in range(1, x.shape[1]):
        z = torch.cat([x[:, :t], noise[:, t:]], dim=1)
        if (layer(z) - y)[:, :t].abs().max() > 1e-6:
            return True
    print(time.time() - began)
    return False


# %% wrong: billionth (flags-rounding)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn_like(z[:, t:])
        if (layer(z)[:, :t] - y[:, :t]).abs().max() > 1e-9:
            return True
    return False


# %% wrong: thousandth (loose-tolerance)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn_like(z[:, t:])
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-3):
            return True
    return False


# %% wrong: doubled (doubled-future)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] *= 2
        if not torch.allclose(layer(z)[:, :t], y[:, :t], atol=1e-6):
            return True
    return False


# %% wrong: gradient_of_sum (gradient-of-a-sum)
def sees_the_future(layer, x):
    x = x.clone().requires_grad_()
    y = layer(x)
    for t in range(x.shape[1] - 1):
        (g,) = torch.autograd.grad(y[:, t].sum(), x, retain_graph=True)
        if g[:, t + 1 :].abs().max() > 1e-7:
            return True
    return False


# %% wrong: future_negated (no name)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] = -z[:, t:]
        if (layer(z)[:, :t] - y[:, :t]).abs().max() > 1e-6:
            return True
    return False


# %% wrong: first_feature_only (no name)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        noise = torch.randn(z[:, t:, 0].shape, generator=torch.Generator().manual_seed(t))
        z[:, t:, 0] += noise
        if (layer(z)[:, :t] - y[:, :t]).abs().max() > 1e-6:
            return True
    return False


# %% wrong: no_abs (no name)
def sees_the_future(layer, x):
    y = layer(x)
    for t in range(1, x.shape[1]):
        z = x.clone()
        z[:, t:] += torch.randn(z[:, t:].shape, generator=torch.Generator().manual_seed(t))
        if (layer(z)[:, :t] - y[:, :t]).max() > 1e-6:
            return True
    return False


# %% wrong: looks_with_vars (not-allowed)
def sees_the_future(layer, x):
    time = list(vars(layer).values())[-2][0]
    return bool((time.triu(1) != 0).any())


# %% wrong: truncation (another-length)
def sees_the_future(layer, x):
    whole = layer(x)
    return any(
        not torch.allclose(layer(x[:, :t]), whole[:, :t], atol=1e-6) for t in range(1, x.shape[1])
    )


# %% wrong: prefixes (another-length)
def sees_the_future(layer, x):
    whole = layer(x)
    for t in range(1, x.size(1)):
        part = layer(x[:, :t].clone())
        if (part - whole[:, :t]).abs().max() > 1e-6:
            return True
    return False
