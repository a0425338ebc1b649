# %% wrong: global_max (global-max)
# subtracts the largest score of the whole tensor, so a row at 0 next to one at 200 underflows to
# 0/0; breaks "Rows may lie on very different levels: one at 0, the next at 200"
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.max())
    return e / e.sum(dim=dim, keepdim=True)

# %% wrong: max_of_last_axis (no name)
# sums along dim but takes the maximum always along the last axis, so entries along dim are
# shifted by different amounts; breaks "`dim` is one axis and may be any of them"
def softmax(scores, dim=-1):
    biggest, _ = scores.max(-1, keepdim=True)
    numerator = (scores - biggest).exp()
    denominator = numerator.sum(dim, keepdim=True)
    return numerator / denominator

# %% wrong: float64_is_enough (no-max-subtraction)
# believes that computing in double precision cures the overflow, but exp(10000) is infinite there
# too; breaks "Scores may be as large as ±10000. The result is never NaN or infinite"
def softmax(scores, dim=-1):
    s = scores.to(torch.float64)
    e = torch.exp(s)
    return (e / e.sum(dim=dim, keepdim=True)).to(scores.dtype)

# %% wrong: subtract_in_place (changes-its-input)
# shifts the caller's tensor itself by its maximum; breaks "Inputs are tensors ... Leave them as
# you got them"
def softmax(scores, dim=-1):
    scores -= scores.amax(dim=dim, keepdim=True)
    weights = scores.exp()
    return weights / weights.sum(dim=dim, keepdim=True)

# %% right: powers_of_two
# works with base 2 and method calls only
def softmax(scores, dim=-1):
    LOG2_E = 1 / math.log(2)
    shifted = scores.sub(scores.amax(dim, keepdim=True)).mul(LOG2_E)
    powers = shifted.exp2()
    return powers.div(powers.sum(dim, keepdim=True))
