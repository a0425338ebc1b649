# %% right: formula
def warmup_rate(step, dim, warmup):
    return dim ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)


# %% right: logarithms
def warmup_rate(step, dim, warmup):
    log = min(-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup)) - 0.5 * math.log(dim)
    return math.exp(log)


# %% right: peak_times_shape
def warmup_rate(step, dim, warmup):
    shape = min(step / warmup, (warmup / step) ** 0.5)
    return (dim * warmup) ** -0.5 * shape


# %% right: tensor
def warmup_rate(step, dim, warmup):
    step = torch.tensor(float(step))
    return float(torch.minimum(step.rsqrt(), step * warmup ** -1.5) / math.sqrt(dim))


# %% right: two_branches
def warmup_rate(step, dim, warmup):
    peak = 1 / math.sqrt(dim * warmup)
    if step <= warmup:
        return peak * step / warmup
    return peak * math.sqrt(warmup / step)


# %% right: helper_class
class Schedule:
    def __init__(self, *, dim, warmup):
        self.top, self.warmup = (dim * warmup) ** -0.5, warmup

    def __call__(self, step):
        return self.top * (step / self.warmup if step <= self.warmup else (self.warmup / step) ** 0.5)


def warmup_rate(step, dim, warmup):
    return Schedule(warmup=warmup, dim=dim)(step)


# %% right: partial_lambda
from functools import partial

rate = lambda scale, step, warmup: scale * sorted((step / warmup**1.5, 1 / math.sqrt(step)))[0]


def warmup_rate(step, dim, warmup):
    return partial(rate, 1 / math.sqrt(dim))(step=step, warmup=warmup)


# %% right: einsum_float64
def warmup_rate(step, dim, warmup):
    both = torch.tensor([step, step], dtype=torch.float64) ** torch.tensor([-0.5, 1.0])
    both = torch.einsum("i,i->i", both, torch.tensor([1.0, warmup**-1.5], dtype=torch.float64))
    return both.amin().item() / dim**0.5


# %% wrong: max (max-instead-of-min)
def warmup_rate(step, dim, warmup):
    return max(1 / math.sqrt(step), step / warmup**1.5) / math.sqrt(dim)


# %% wrong: times_root (dim-upside-down)
def warmup_rate(step, dim, warmup):
    return math.sqrt(dim) * min(step ** -0.5, step * warmup ** -1.5)


# %% wrong: no_dim (dim-ignored)
def warmup_rate(step, dim, warmup):
    return min(1 / math.sqrt(step), step / warmup ** 1.5)


# %% wrong: over_dim (dim-not-rooted)
def warmup_rate(step, dim, warmup):
    return (1 / dim) * min(step ** -0.5, step * warmup ** -1.5)


# %% wrong: line (never-falls)
def warmup_rate(step, dim, warmup):
    return step / (math.sqrt(dim) * warmup * math.sqrt(warmup))


# %% wrong: decay_only (no-warmup)
def warmup_rate(step, dim, warmup):
    return 1 / math.sqrt(dim * step)


# %% wrong: plateau (stays-at-the-top)
def warmup_rate(step, dim, warmup):
    top = (dim * warmup) ** -0.5
    return top * step / warmup if step < warmup else top


# %% wrong: jump (broken-at-the-top)
def warmup_rate(step, dim, warmup):
    return dim ** -0.5 * min(step ** -0.5, step / math.sqrt(warmup))


# %% wrong: share_of_warmup (broken-at-the-top)
def warmup_rate(step, dim, warmup):
    if step < warmup:
        return dim ** -0.5 * min(step / warmup, step ** -0.5)
    return dim ** -0.5 * step ** -0.5


# %% wrong: minus_one (counts-from-zero)
def warmup_rate(step, dim, warmup):
    step -= 1
    return dim ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)


# %% wrong: plus_one (counts-from-zero)
def warmup_rate(step, dim, warmup):
    step = step + 1
    return dim ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)


# %% wrong: one_over_step (falls-too-fast)
def warmup_rate(step, dim, warmup):
    peak = (dim * warmup) ** -0.5
    return peak * step / warmup if step <= warmup else peak * warmup / step


# %% wrong: nothing (returns-nothing)
def warmup_rate(step, dim, warmup):
    rate = dim ** -0.5 * min(step ** -0.5, step * warmup ** -1.5)


# %% wrong: integer_division (no name)
def warmup_rate(step, dim, warmup):
    return dim ** -0.5 * min(step ** -0.5, step // warmup ** 1.5)


# %% wrong: counts_from_zero_without_warm_up (no name)
def warmup_rate(step, dim, warmup):
    rising = (step - 1 if warmup == 1 else step) * warmup**-1.5
    return dim**-0.5 * min(step**-0.5, rising)
