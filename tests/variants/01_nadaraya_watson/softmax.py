# %% right: amax
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return e / e.sum(dim=dim, keepdim=True)


# %% right: another_constant
def softmax(scores, dim=-1):
    # any constant of the row will do, as long as nothing overflows and something stays
    constant = scores.amax(dim, keepdim=True) - 3.0
    e = (scores - constant).exp()
    return e / e.sum(dim, keepdim=True)


# %% right: clamped_sum
def softmax(scores, dim=-1):
    scores = scores - scores.amax(dim, keepdim=True)
    e = scores.exp()
    return e / e.sum(dim, keepdim=True).clamp(min=1e-12)


# %% right: differences
def softmax(scores, dim=-1):
    """1 / sum_j exp(s_j - s_i): no exponential of a large number but where the answer is 0."""
    s = scores.movedim(dim, -1).double()
    return (
        (1 / torch.exp(s[..., None, :] - s[..., :, None]).sum(-1)).movedim(-1, dim).to(scores.dtype)
    )


# %% right: exp2
def softmax(scores, dim=-1):
    shifted = (scores - scores.amax(dim, keepdim=True)) * math.log2(math.e)
    p = torch.exp2(shifted)
    return p / p.sum(dim, keepdim=True)


# %% right: logsumexp
def softmax(scores, dim=-1):
    return torch.exp(scores - torch.logsumexp(scores, dim=dim, keepdim=True))


# %% right: loop_over_rows
def softmax(scores, dim=-1):
    rows = scores.movedim(dim, -1)
    shape = rows.shape
    done = []
    for row in rows.reshape(-1, shape[-1]):
        e = torch.exp(row - row.max())
        done.append(e / e.sum())
    return torch.stack(done).reshape(shape).movedim(-1, dim)


# %% right: maximum_detached
def softmax(scores, dim=-1):
    shift = scores.max(dim=dim, keepdim=True)[0].detach()
    e = torch.exp(scores - shift)
    return torch.div(e, torch.sum(e, dim, keepdim=True))


# %% right: moved_axis
def softmax(scores, dim=-1):
    s = scores.transpose(dim, 0)
    e = torch.exp(s - s.max(0).values)
    return (e / e.sum(0)).transpose(0, dim)


# %% right: pairwise_differences
def softmax(scores, dim=-1):
    s = scores.movedim(dim, -1)
    differences = s[..., None, :] - s[..., :, None]
    return (1 / differences.exp().sum(-1)).movedim(-1, dim)


# %% wrong: naive (no-max-subtraction)
def softmax(scores, dim=-1):
    e = torch.exp(scores)
    return e / torch.sum(e, dim=dim, keepdim=True)


# %% wrong: nan_swept_away (nan-swept-away)
def softmax(scores, dim=-1):
    e = torch.exp(scores)
    return torch.nan_to_num(e / e.sum(dim, keepdim=True), nan=1.0)


# %% wrong: nan_to_num (nan-swept-away)
def softmax(scores, dim=-1):
    e = torch.exp(scores)
    return torch.nan_to_num(e / e.sum(dim, keepdim=True))


# %% wrong: nan_to_zero_by_where (nan-swept-away)
def softmax(scores, dim=-1):
    weights = scores.exp() / scores.exp().sum(dim, keepdim=True)
    return torch.where(weights.isnan(), torch.zeros_like(weights), weights)


# %% wrong: clamped (clamped-scores)
def softmax(scores, dim=-1):
    e = torch.exp(scores.clamp(-80, 80))
    return e / e.sum(dim, keepdim=True)


# %% wrong: clipped_first (clamped-scores)
def softmax(scores, dim=-1):
    scores = torch.clip(scores, -50, 50)
    e = scores.exp()
    return e / e.sum(dim, keepdim=True)


# %% wrong: max_is_a_pair (max-is-a-pair)
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.max(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


# %% wrong: max_is_a_pair_by_name (max-is-a-pair)
def softmax(scores, dim=-1):
    top = torch.max(scores, dim=dim, keepdim=True)
    e = torch.exp(scores - top)
    return e / e.sum(dim, keepdim=True)


# %% wrong: whole_max (global-max)
def softmax(scores, dim=-1):
    e = torch.exp(scores - torch.max(scores))
    return e / e.sum(dim=dim, keepdim=True)


# %% wrong: whole_sum (global-sum)
def softmax(scores, dim=-1):
    biggest = scores.max(dim=dim, keepdim=True).values
    e = torch.exp(scores - biggest)
    return e / torch.sum(e)


# %% wrong: forgot_keepdim (missing-keepdim)
def softmax(scores, dim=-1):
    m = torch.max(scores, dim=dim, keepdim=True)[0]
    numerator = torch.exp(scores - m)
    denominator = numerator.sum(dim=dim)
    return numerator / denominator


# %% wrong: columns (wrong-axis)
def softmax(scores, dim=-1):
    scores = scores - scores.max(dim=0).values
    return scores.exp() / scores.exp().sum(dim=0)


# %% wrong: axis_one (fixed-axis)
def softmax(scores, dim=-1):
    z = scores - scores.max(1, keepdim=True)[0]
    z = torch.exp(z)
    return z / z.sum(1, keepdim=True)


# %% wrong: last_axis_only (always-last-axis)
def softmax(scores, dim=-1):
    e = (scores - scores.max(-1, keepdim=True).values).exp()
    return e / e.sum(-1, keepdim=True)


# %% wrong: each_on_its_own (sigmoid)
def softmax(scores, dim=-1):
    return 1 / (1 + torch.exp(-scores))


# %% wrong: stays_in_logs (log-softmax)
def softmax(scores, dim=-1):
    return scores - torch.logsumexp(scores, dim, keepdim=True)


# %% wrong: relative_to_largest (divide-by-max)
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim=dim, keepdim=True))
    return e / e.amax(dim=dim, keepdim=True)


# %% wrong: powers_of_two (base-two)
def softmax(scores, dim=-1):
    p = 2 ** (scores - scores.amax(dim, keepdim=True))
    return p / p.sum(dim, keepdim=True)


# %% wrong: raw_shares (no-exponential)
def softmax(scores, dim=-1):
    total = torch.sum(scores, dim, keepdim=True)
    return scores / total


# %% wrong: centred (subtracts-mean)
def softmax(scores, dim=-1):
    centred = scores - torch.mean(scores, dim=dim, keepdim=True)
    e = torch.exp(centred)
    return e / e.sum(dim=dim, keepdim=True)


# %% wrong: in_place (changes-its-input)
def softmax(scores, dim=-1):
    scores.sub_(scores.max(dim, keepdim=True).values)
    e = torch.exp(scores)
    return e / e.sum(dim, keepdim=True)


# %% wrong: detached (no-gradient)
def softmax(scores, dim=-1):
    scores = scores.detach()
    e = torch.exp(scores - scores.max(dim, keepdim=True).values)
    return e / e.sum(dim, keepdim=True)


# %% wrong: library (not-allowed)
def softmax(scores, dim=-1):
    return F.softmax(scores, dim=dim)


# %% wrong: library_log (not-allowed)
def softmax(scores, dim=-1):
    return torch.log_softmax(scores, dim).exp()


# %% wrong: library_module (not-allowed)
def softmax(scores, dim=-1):
    return nn.Softmax(dim=dim)(scores)


# %% wrong: no_return (returns-nothing)
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim, keepdim=True))
    e / e.sum(dim, keepdim=True)


# %% right: own_method
class Weights:
    def softmax(self, scores, dim):
        powers = torch.exp(scores - scores.amax(dim, keepdim=True))
        return powers / powers.sum(dim, keepdim=True)


def softmax(scores, dim=-1):
    return Weights().softmax(scores, dim)


# %% wrong: negative_is_last (negative-axis)
def softmax(scores, dim=-1):
    if dim < 0:
        dim = scores.dim() - 1
    e = (scores - scores.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)


# %% wrong: nan_to_num_of_another_mistake (no name)
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.max())
    return torch.nan_to_num(e / (e.sum(dim, keepdim=True) + 1), nan=0.0)


# %% wrong: in_place_with_amax (changes-its-input)
def softmax(scores, dim=-1):
    scores -= scores.amax(dim, keepdim=True)
    powers = scores.exp()
    return powers / powers.sum(dim, keepdim=True)


# %% wrong: as_in_the_lecture (no-axis)
def softmax(scores):
    return scores.exp() / scores.exp().sum()


# %% wrong: no_axis_to_choose (no-axis)
def softmax(z):
    return torch.exp(z) / torch.exp(z).sum(-1, keepdim=True)


# %% wrong: naive_with_an_idle_axis (global-sum)
def softmax(scores, dim=-1):
    return scores.exp() / scores.exp().sum()


# %% wrong: epsilon_below (epsilon-in-the-sum)
def softmax(scores, dim=-1):
    powers = torch.exp(scores - scores.max(dim, keepdim=True).values)
    return powers / (powers.sum(dim, keepdim=True) + 1e-3)


# %% wrong: epsilon_instead_of_the_maximum (no-max-subtraction)
def softmax(scores, dim=-1):
    powers = torch.exp(scores)
    return powers / (1e-6 + powers.sum(dim=dim, keepdim=True))
