# %% wrong: counts_from_zero (counts-from-zero)
# adds 1 to the step to avoid 0 ** -0.5: breaks "`step` counts from 1"
def warmup_rate(step, dim, warmup):
    step = step + 1
    return dim**-0.5 * min(step**-0.5, step * warmup**-1.5)

# %% wrong: bracket_too_wide (no name)
# reads the second term as (step · warmup)^-1.5: breaks "step · warmup^{-1.5}"
def warmup_rate(step, dim, warmup):
    return dim ** (-0.5) * min(step ** (-0.5), (step * warmup) ** (-1.5))

# %% wrong: dim_for_one_term_only (no name)
# puts dim^-0.5 inside the minimum, with the first term alone: breaks "dim^{-0.5} · min(…)"
def warmup_rate(step, dim, warmup):
    return min(1 / math.sqrt(dim * step), step / warmup**1.5)

# %% right: two_branches
# no minimum: rises in the first branch, falls in the second, with square roots in place of powers
def warmup_rate(step, dim, warmup):
    peak = 1 / math.sqrt(dim * warmup)
    if step <= warmup:
        return peak * step / warmup
    return peak * math.sqrt(warmup / step)
