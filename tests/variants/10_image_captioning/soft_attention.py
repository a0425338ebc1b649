# %% right: concatenated
def soft_attention(regions, state, w_r, w_s, v):
    both = torch.cat([regions, state[:, None].expand(-1, regions.shape[1], -1)], -1)
    weights = (torch.tanh(both @ torch.cat([w_r, w_s])) @ v).softmax(-1)
    return torch.bmm(weights.unsqueeze(1), regions).squeeze(1), weights


# %% right: constant_on_the_score
def soft_attention(regions, state, w_r, w_s, v):
    scores = (
        torch.tanh(regions.double() @ w_r.double() + (state.double() @ w_s.double())[:, None])
        @ v.double()
        + 3.0
    )
    weights = torch.softmax(scores, -1)
    context = (weights[..., None] * regions).sum(1)
    return context.float(), weights.float()


# %% right: einsum
def soft_attention(regions, state, w_r, w_s, v):
    hidden = (
        torch.einsum("brd,da->bra", regions, w_r) + torch.einsum("bs,sa->ba", state, w_s)[:, None]
    )
    weights = torch.einsum("bra,a->br", hidden.tanh(), v).softmax(-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% right: loop
def soft_attention(regions, state, w_r, w_s, v):
    contexts, rows = [], []
    for region, s in zip(regions, state):
        scores = torch.stack([torch.tanh(r @ w_r + s @ w_s) @ v for r in region])
        w = scores.softmax(0)
        rows.append(w)
        contexts.append(w @ region)
    return torch.stack(contexts), torch.stack(rows)


# %% right: plain
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    scores = hidden @ v
    weights = F.softmax(scores, dim=1)
    context = (weights.unsqueeze(-1) * regions).sum(dim=1)
    return context, weights


# %% right: unit_two
from course_utils.dot_product_attention import additive_scores

def soft_attention(regions, state, w_r, w_s, v):
    weights = additive_scores(state[:, None], regions, w_s, w_r, v).softmax(-1)
    return (weights @ regions)[:, 0], weights[:, 0]


# %% right: helper_class_and_keywords
class Additive:
    def __init__(self, *, w_r, w_s, v):
        self.w_r, self.w_s, self.v = w_r, w_s, v

    def score(self, region, state):
        return torch.inner(torch.tanh(torch.addmm(state @ self.w_s, region, self.w_r)), self.v)


def soft_attention(regions, state, w_r, w_s, v):
    additive = Additive(v=v, w_s=w_s, w_r=w_r)
    scores = [additive.score(region=region, state=state) for region in regions.unbind(1)]
    scores = torch.stack(scores, dim=-1)
    weights = torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))
    return sum(weights[:, i, None] * regions[:, i] for i in range(regions.shape[1])), weights


# %% right: einops_float64
def soft_attention(regions, state, w_r, w_s, v):
    regions, state, w_r, w_s, v = (part.double() for part in (regions, state, w_r, w_s, v))
    both = einops.rearrange(regions @ w_r, "b r a -> r b a") + state @ w_s
    scores = einops.einsum(both.tanh(), v, "r b a, a -> b r")
    weights = F.softmax(scores, dim=1)
    return einops.einsum(weights, regions, "b r, b r d -> b d").float(), weights.float()


# %% right: linear_and_partial
from functools import partial


def soft_attention(regions, state, w_r, w_s, v):
    ask = partial(F.linear, weight=w_s.T)
    hidden = (F.linear(regions, w_r.T) + ask(state).unsqueeze(dim=1).expand(-1, regions.size(1), -1)).tanh()
    weights = F.linear(hidden, v[None]).squeeze(-1).softmax(dim=-1)
    return torch.matmul(regions.transpose(1, 2), weights.unsqueeze(-1)).squeeze(-1), weights


# %% wrong: linear (no-tanh)
def soft_attention(regions, state, w_r, w_s, v):
    scores = (regions @ w_r + (state @ w_s)[:, None]) @ v
    weights = scores.softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: tanh_outside (tanh-on-the-score)
def soft_attention(regions, state, w_r, w_s, v):
    scores = torch.tanh((regions @ w_r + (state @ w_s)[:, None]) @ v)
    weights = scores.softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: relu (relu-energies)
def soft_attention(regions, state, w_r, w_s, v):
    scores = F.relu(regions @ w_r + (state @ w_s)[:, None]) @ v
    weights = scores.softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: regions_only (state-ignored)
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r) @ v).softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: product (multiplied-not-added)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh((regions @ w_r) * (state @ w_s).unsqueeze(1))
    weights = (hidden @ v).softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: two_tanh (tanh-of-each)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r) + torch.tanh(state @ w_s).unsqueeze(1)
    weights = (hidden @ v).softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: no_new_axis (no-region-axis)
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r + state @ w_s) @ v).softmax(-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: no_new_axis_bmm (no-region-axis)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(torch.matmul(regions, w_r) + torch.matmul(state, w_s))
    weights = torch.softmax(torch.matmul(hidden, v), dim=-1)
    return torch.bmm(weights.unsqueeze(1), regions).squeeze(1), weights


# %% wrong: scaled (scaled)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    scores = hidden @ v / math.sqrt(v.shape[0])
    weights = scores.softmax(dim=-1)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: raw_scores (no-softmax)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = hidden @ v
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: dim_zero (softmax-over-batch)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = F.softmax(hidden @ v, dim=0)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: sigmoid (sigmoid)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.sigmoid(hidden @ v)
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: mean (mean-instead-of-sum)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    return (weights.unsqueeze(2) * regions).mean(dim=1), weights


# %% wrong: unweighted (plain-mean)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    return regions.mean(dim=1), weights


# %% wrong: argmax (best-region-only)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    best = weights.argmax(1)
    return torch.stack([r[i] for r, i in zip(regions, best)]), weights


# %% wrong: projected (context-of-projections)
def soft_attention(regions, state, w_r, w_s, v):
    projected = regions @ w_r
    weights = (torch.tanh(projected + (state @ w_s).unsqueeze(1)) @ v).softmax(-1)
    return (weights.unsqueeze(2) * projected).sum(dim=1), weights


# %% wrong: not_summed (not-summed)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    return weights.unsqueeze(2) * regions, weights


# %% wrong: bmm (axis-of-one)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    return torch.bmm(weights.unsqueeze(1), regions), weights


# %% wrong: row_of_weights (axis-of-one)
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r + (state @ w_s)[:, None]) @ v).softmax(-1)[:, None]
    return weights @ regions, weights


# %% wrong: context_only (weights-missing)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = torch.softmax(hidden @ v, dim=1)
    return torch.einsum("br,brd->bd", weights, regions)


# %% wrong: scores (scores-returned)
def soft_attention(regions, state, w_r, w_s, v):
    scores = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1)) @ v
    return torch.einsum("br,brd->bd", scores.softmax(-1), regions), scores


# %% wrong: hidden_softmax (softmax-over-hidden)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1))
    weights = F.softmax(hidden, dim=-1) @ v
    return torch.einsum("br,brd->bd", weights, regions), weights


# %% wrong: swapped (swapped-results)
def soft_attention(regions, state, w_r, w_s, v):
    weights = (torch.tanh(regions @ w_r + (state @ w_s).unsqueeze(1)) @ v).softmax(-1)
    return weights, torch.einsum("br,brd->bd", weights, regions)


# %% wrong: root_of_the_region_size (scaled)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s)[:, None])
    weights = (hidden @ v / math.sqrt(regions.shape[-1])).softmax(-1)
    return (weights[..., None] * regions).sum(1), weights


# %% wrong: mixes_the_hidden_layer (context-of-the-hidden-layer)
def soft_attention(regions, state, w_r, w_s, v):
    hidden = torch.tanh(regions @ w_r + (state @ w_s)[:, None])
    weights = (hidden @ v).softmax(-1)
    return torch.einsum("br,bra->ba", weights, hidden), weights


# %% wrong: softmax_by_hand (no-max-subtraction)
def soft_attention(regions, state, w_r, w_s, v):
    powers = torch.exp(torch.tanh(regions @ w_r + (state @ w_s)[:, None]) @ v)
    weights = powers / powers.sum(dim=1, keepdim=True)
    return torch.einsum("br,brd->bd", weights, regions), weights
