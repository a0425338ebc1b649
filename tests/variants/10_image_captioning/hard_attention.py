# %% right: categorical_log_prob
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(index))
    return (
        regions[rows, index],
        index,
        torch.distributions.Categorical(probs=weights).log_prob(index),
    )


# %% right: cumulated
def hard_attention(regions, weights, generator):
    u = torch.rand(len(weights), 1, generator=generator, dtype=torch.float64)
    steps = weights.double().cumsum(-1)
    steps = steps / steps[:, -1:]
    index = (u >= steps).sum(-1)
    rows = range(len(weights))
    return regions[rows, index], index, weights[rows, index].log()


# %% right: exponential_race
def hard_attention(regions, weights, generator):
    times = torch.empty_like(weights).exponential_(generator=generator) / weights
    index = times.argmin(dim=1)
    chosen = F.one_hot(index, weights.shape[1]).to(regions.dtype)
    context = torch.einsum("br,brd->bd", chosen, regions)
    log_prob = (chosen * weights).sum(-1).log()
    return context, index, log_prob


# %% right: gumbel
def hard_attention(regions, weights, generator):
    u = torch.rand(weights.shape, generator=generator).clamp(min=1e-12)
    gumbel = -torch.log(-torch.log(u))
    index = (weights.log() + gumbel).argmax(-1)
    context = regions.gather(1, index[:, None, None].expand(-1, 1, regions.shape[-1])).squeeze(1)
    return context, index, weights.gather(1, index[:, None])[:, 0].log()


# %% right: multinomial
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(regions.shape[0])
    return regions[rows, index], index, torch.log(weights[rows, index])


# %% right: one_hot_product
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(-1)
    chosen = F.one_hot(index, weights.shape[1]).to(weights.dtype)
    return torch.einsum("br,brd->bd", chosen, regions), index, (chosen * weights).sum(-1).log()


# %% right: row_by_row
def hard_attention(regions, weights, generator):
    contexts, indices, logs = [], [], []
    for r, w in zip(regions, weights):
        i = torch.multinomial(w, 1, generator=generator).item()
        contexts.append(r[i])
        indices.append(i)
        logs.append(w[i].log())
    return torch.stack(contexts), torch.tensor(indices), torch.stack(logs)


# %% right: small_integers
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights.double(), num_samples=1, generator=generator)[:, 0]
    context = torch.stack([region[i] for region, i in zip(regions, index)])
    return context, index.to(torch.int16), torch.take_along_dim(weights, index[:, None], 1)[:, 0].log()


# %% right: einops_and_searchsorted
def hard_attention(regions, weights, generator):
    u = torch.rand(len(weights), 1, generator=generator, dtype=torch.float64)
    ends = weights.detach().double().cumsum(-1)
    index = torch.searchsorted(ends / ends[:, -1:], u, right=True).clamp(max=weights.shape[1] - 1)
    wide = einops.repeat(index, "b 1 -> b 1 d", d=regions.shape[-1])
    return regions.gather(1, wide).squeeze(1), index.squeeze(1), weights.gather(1, index).squeeze(1).log()


# %% right: helper_class_and_partial
from functools import partial


class Dice:
    def __init__(self, generator):
        self.throw = partial(torch.multinomial, num_samples=1, replacement=True, generator=generator)

    def __call__(self, probabilities):
        return self.throw(input=probabilities).flatten()


def hard_attention(regions, weights, generator):
    index = Dice(generator=generator)(weights)
    hot = torch.eye(weights.shape[1])[index]
    context = torch.einsum("br,brd->bd", hot, regions)
    return context, index.int(), torch.log(torch.einsum("br,br->b", hot, weights))


# %% wrong: argmax (argmax-for-a-draw)
def hard_attention(regions, weights, generator):
    torch.rand(1, generator=generator)
    index = weights.argmax(dim=-1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: plain_argmax (argmax-for-a-draw)
def hard_attention(regions, weights, generator):
    index = weights.argmax(-1)
    rows = torch.arange(len(index))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: plain_max (argmax-for-a-draw)
def hard_attention(regions, weights, generator):
    best, index = weights.max(dim=1)
    return regions[torch.arange(len(index)), index], index, best.log()


# %% wrong: top (argmax-for-a-draw)
def hard_attention(regions, weights, generator):
    assert isinstance(generator, torch.Generator)
    top = weights.topk(1)
    index = top.indices[:, 0]
    return torch.stack([r[i] for r, i in zip(regions, index)]), index, top.values[:, 0].log()


# %% wrong: drawn_without_gradient (no-gradient)
def hard_attention(regions, weights, generator):
    with torch.no_grad():
        index = torch.multinomial(weights, 1, generator=generator)
        log_prob = weights.gather(1, index).log().squeeze(1)
    index = index.squeeze(1)
    return regions[torch.arange(len(index)), index], index, log_prob


# %% wrong: log_of_a_number (no-gradient)
def hard_attention(regions, weights, generator):
    contexts, indices, logs = [], [], []
    for region, weight in zip(regions, weights):
        i = torch.multinomial(weight, 1, generator=generator).item()
        contexts.append(region[i])
        indices.append(i)
        logs.append(math.log(weight[i]))
    return torch.stack(contexts), torch.tensor(indices), torch.tensor(logs)


# %% wrong: uniform (uniform-draw)
def hard_attention(regions, weights, generator):
    index = torch.randint(weights.shape[1], (len(weights),), generator=generator)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: probability (probability-not-log)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index]


# %% wrong: probability_gumbel (probability-not-log)
def hard_attention(regions, weights, generator):
    g = -torch.log(-torch.log(torch.rand(weights.shape, generator=generator)))
    index = (weights.log() + g).argmax(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights.gather(1, index[:, None]).squeeze(1)


# %% wrong: loss (negative-log)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, F.nll_loss(weights.log(), index, reduction="none")


# %% wrong: all_logs (all-log-probs)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights.log()


# %% wrong: soft (soft-context)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    context = (weights.unsqueeze(-1) * regions).sum(1)
    return context, index, weights[rows, index].log()


# %% wrong: scaled (scaled-context)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    p = weights[rows, index]
    return p[:, None] * regions[rows, index], index, p.log()


# %% wrong: all_rows (indexes-the-batch)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    return regions[:, index], index, weights[torch.arange(len(weights)), index].log()


# %% wrong: column (column-index)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)
    rows = torch.arange(len(regions))
    return regions[rows, index[:, 0]], index, weights.gather(1, index).log().squeeze(1)


# %% wrong: one_hot (one-hot-index)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    choice = F.one_hot(index, weights.shape[1])
    context = (choice.unsqueeze(-1) * regions).sum(1)
    return context, choice, (choice * weights).sum(1).log()


# %% wrong: softmax_again (softmax-again)
def hard_attention(regions, weights, generator):
    p = torch.softmax(weights, dim=-1)
    index = torch.multinomial(p, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, p[rows, index].log()


# %% wrong: one_for_all (one-draw-for-all)
def hard_attention(regions, weights, generator):
    i = torch.multinomial(weights[0], 1, generator=generator).item()
    index = torch.full((len(weights),), i)
    return regions[:, i], index, weights[:, i].log()


# %% wrong: global_generator (not-allowed)
def hard_attention(regions, weights, generator):
    choice = torch.distributions.Categorical(probs=weights)
    index = choice.sample()
    return regions[torch.arange(len(regions)), index], index, choice.log_prob(index)


# %% wrong: global_gumbel (not-allowed)
def hard_attention(regions, weights, generator):
    noise = -torch.log(-torch.log(torch.rand(weights.shape)))
    index = (weights.log() + noise).argmax(-1)
    rows = torch.arange(len(index))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: seed_taken_out (not-allowed)
def hard_attention(regions, weights, generator):
    torch.manual_seed(generator.initial_seed())
    choice = torch.distributions.Categorical(probs=weights)
    index = choice.sample()
    return regions[torch.arange(len(index)), index], index, choice.log_prob(index)


# %% wrong: two_results (no name)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    return regions[torch.arange(len(regions)), index], index


# %% wrong: generator_read_but_not_used (another-generator)
def hard_attention(regions, weights, generator):
    generator.get_state()
    index = torch.multinomial(weights, 1).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: makes_its_own_generator (another-generator)
def hard_attention(regions, weights, generator):
    generator = generator and torch.Generator()
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: first_row_for_all (weights-of-the-first-row)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights[0], len(weights), replacement=True, generator=generator)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: one_number (one-number-for-all)
def hard_attention(regions, weights, generator):
    u = torch.rand(1, generator=generator)
    steps = weights.cumsum(-1)
    index = (u >= steps / steps[:, -1:]).sum(-1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights[rows, index].log()


# %% wrong: log_of_all_then_picked (nan-gradient)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights.log()[rows, index]


# %% wrong: log_of_all_then_gathered (nan-gradient)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)
    log_prob = weights.log().gather(1, index).squeeze(1)
    index = index.squeeze(1)
    return regions[torch.arange(len(index)), index], index, log_prob


# %% wrong: log_softmax (softmax-again)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(regions))
    return regions[rows, index], index, weights.log_softmax(-1)[rows, index]


# %% wrong: gumbel_and_log_of_all (nan-gradient)
def hard_attention(regions, weights, generator):
    u = torch.rand(weights.shape, generator=generator).clamp(min=1e-12)
    index = (weights.log() - torch.log(-torch.log(u))).argmax(-1)
    context = regions.gather(1, index[:, None, None].expand(-1, 1, regions.shape[-1])).squeeze(1)
    return context, index, weights.log().gather(1, index[:, None])[:, 0]


# %% wrong: clamped_log (log-held-up)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator).squeeze(1)
    rows = torch.arange(len(index))
    return regions[rows, index], index, weights[rows, index].clamp(min=1e-2).log()


# %% wrong: a_little_added (log-held-up)
def hard_attention(regions, weights, generator):
    index = torch.multinomial(weights, 1, generator=generator)
    log_prob = (weights.gather(1, index) + 1e-3).log().squeeze(1)
    index = index.squeeze(1)
    return regions[torch.arange(len(index)), index], index, log_prob
