# %% right: double
def attention_rollout(weights):
    stack = torch.stack(list(weights)).double().mean(2)
    stack = 0.5 * stack + 0.5 * torch.eye(stack.shape[-1], dtype=torch.float64)
    stack = stack / stack.sum(-1, keepdim=True)
    out = stack[0]
    for step in stack[1:]:
        out = step @ out
    return out.float()


# %% right: last_to_first
def attention_rollout(weights):
    n = weights[0].shape[-1]
    total = torch.eye(n).repeat(weights[0].shape[0], 1, 1)
    for layer in reversed(weights):
        a = layer.mean(1) * 0.5 + torch.eye(n) * 0.5
        total = total @ (a / a.sum(2, keepdim=True))
    return total


# %% right: loop
def attention_rollout(weights):
    T = weights[0].shape[-1]
    result = torch.eye(T)
    for w in weights:
        a = 0.5 * w.mean(dim=1) + 0.5 * torch.eye(T)
        a = a / a.sum(dim=-1, keepdim=True)
        result = a @ result
    return result


# %% right: multi_dot
def attention_rollout(weights):
    steps = []
    for w in weights:
        a = w.mean(1)
        a = (a + torch.eye(a.size(-1))) / 2
        steps.append(F.normalize(a, p=1, dim=-1))
    if len(steps) == 1:
        return steps[0]
    return torch.stack(
        [torch.linalg.multi_dot([s[b] for s in reversed(steps)]) for b in range(len(steps[0]))]
    )


# %% right: plus_identity
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])[None]
    out = None
    for layer in weights:
        a = layer.mean(1) + eye
        a = a / a.sum(-1, keepdim=True)
        out = a if out is None else torch.bmm(a, out)
    return out


# %% right: recursive
def attention_rollout(weights):
    *rest, last = weights
    mixed = torch.lerp(torch.eye(last.shape[-1]), last.mean(1), 0.5)
    mixed = mixed / mixed.sum(-1, keepdim=True)
    return torch.einsum("btk,bks->bts", mixed, attention_rollout(rest)) if rest else mixed


# %% right: reduce_and_partial
from functools import partial, reduce


def mixed(layer, share=0.5):
    both = einops.reduce(layer, "b h q k -> b q k", "mean") * share
    both = both + torch.diag_embed(torch.full(both.shape[:-1], 1 - share))
    return F.normalize(both, p=1, dim=-1)


def attention_rollout(weights):
    return reduce(lambda total, step: torch.bmm(step, total), map(partial(mixed, share=0.5), weights))


# %% right: image_by_image_in_float64
def attention_rollout(weights):
    def one(layers):
        total = torch.eye(layers[0].shape[-1], dtype=torch.float64)
        for layer in layers:
            step = (sum(head for head in layer) / len(layer)).double()
            step = step + torch.eye(len(step), dtype=torch.float64)
            total = torch.mm(torch.diag(1 / step.sum(dim=1)) @ step, total)
        return total

    return torch.stack([one([w[i] for w in weights]) for i in range(weights[0].size(0))]).float()


# %% right: helper_class
class Walk:
    def __init__(self, tokens):
        self.here = torch.eye(n=tokens)

    def step(self, *, attention):
        halves = attention.mean(dim=1).div(2)
        halves = halves + 0.5 * torch.eye(halves.size(-1))
        self.here = torch.einsum("bqk,...ks->bqs", halves / halves.sum(dim=-1)[..., None], self.here) if self.here.dim() == 2 else torch.einsum("bqk,bks->bqs", halves / halves.sum(-1).unsqueeze(-1), self.here)
        return self


def attention_rollout(weights):
    walk = Walk(weights[0].shape[-1])
    for layer in weights:
        walk = walk.step(attention=layer)
    return walk.here


# %% wrong: reversed (order-reversed)
def attention_rollout(weights):
    T = weights[0].shape[-1]
    result = torch.eye(T)
    for w in weights:
        a = 0.5 * w.mean(dim=1) + 0.5 * torch.eye(T)
        a = a / a.sum(dim=-1, keepdim=True)
        result = result @ a
    return result


# %% wrong: no_residual (no-identity)
def attention_rollout(weights):
    result = None
    for w in weights:
        a = w.mean(1)
        a = a / a.sum(-1, keepdim=True)
        result = a if result is None else a @ result
    return result


# %% wrong: no_normalisation (not-normalised)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        result = (w.mean(1) + eye) @ result
    return result


# %% wrong: halves_only (rows-not-normalised)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        result = (0.5 * w.mean(1) + 0.5 * eye) @ result
    return result


# %% wrong: normalised_last (normalised-at-the-end)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        result = (0.5 * w.mean(1) + 0.5 * eye) @ result
    return result / result.sum(-1, keepdim=True)


# %% wrong: columns (columns-normalised)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        result = (a / a.sum(dim=1, keepdim=True)) @ result
    return result


# %% wrong: broadcast (missing-keepdim)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        a = torch.stack([m / m.sum(-1) for m in a])
        result = a @ result
    return result


# %% wrong: average (average-of-layers)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    steps = []
    for w in weights:
        a = (w.mean(1) + eye) / 2
        steps.append(a / a.sum(-1, keepdim=True))
    return sum(steps) / len(steps)


# %% wrong: last_mixed (last-layer-only)
def attention_rollout(weights):
    for w in weights:
        result = torch.eye(w.shape[-1])
        a = 0.5 * w.mean(1) + 0.5 * torch.eye(w.shape[-1])
        a = a / a.sum(-1, keepdim=True)
        result = a @ result
    return result


# %% wrong: last_raw (raw-last-layer)
def attention_rollout(weights):
    return weights[-1].mean(dim=1)


# %% wrong: max (max-over-heads)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.max(dim=1).values + 0.5 * eye
        result = (a / a.sum(-1, keepdim=True)) @ result
    return result


# %% wrong: sum_heads (sum-over-heads)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = w.sum(1) + eye
        result = (a / a.sum(-1, keepdim=True)) @ result
    return result


# %% wrong: head_zero (first-head)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = w[:, 0] + eye
        result = (a / a.sum(-1, keepdim=True)) @ result
    return result


# %% wrong: heads_apart (heads-multiplied-apart)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = (w + eye) / (w + eye).sum(-1, keepdim=True)
        result = a @ result
    return result.mean(dim=1)


# %% wrong: star (elementwise-product)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = None
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        a = a / a.sum(-1, keepdim=True)
        result = a if result is None else a * result
    return result


# %% wrong: identity_once (identity-once)
def attention_rollout(weights):
    result = None
    for w in weights:
        a = w.mean(1)
        a = a / a.sum(-1, keepdim=True)
        result = a if result is None else a @ result
    return 0.5 * result + 0.5 * torch.eye(result.shape[-1])


# %% wrong: cls_row (only-cls-row)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        result = (a / a.sum(-1, keepdim=True)) @ result
    return result[:, 0, :]


# %% wrong: transposed (transposed)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    result = eye
    for w in weights:
        a = 0.5 * w.mean(1) + 0.5 * eye
        a = a / a.sum(-1, keepdim=True)
        result = result @ a.transpose(1, 2)
    return result


# %% wrong: in_place (changes-its-input)
def attention_rollout(weights):
    T = weights[0].shape[-1]
    result = torch.eye(T)
    for w in weights:
        w *= 0.5
        w += 0.5 * torch.eye(T)
        a = w.mean(1)
        a = a / a.sum(-1, keepdim=True)
        result = a @ result
    return result


# %% wrong: patches_of_the_cls_row (only-cls-row)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    total = eye
    for layer in weights:
        a = 0.5 * layer.mean(1) + 0.5 * eye
        total = a / a.sum(-1, keepdim=True) @ total
    return total[:, 0, 1:]


# %% wrong: batch_for_heads (mean-over-batch)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    total = eye
    for layer in weights:
        a = 0.5 * layer.mean(0) + 0.5 * eye
        total = a / a.sum(-1, keepdim=True) @ total
    return total


# %% wrong: half_without_the_identity (half-for-the-identity)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    total = eye
    for layer in weights:
        a = 0.5 * layer.mean(1) + 0.5
        total = a / a.sum(-1, keepdim=True) @ total
    return total


# %% wrong: detached (no-gradient)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    total = eye
    for layer in weights:
        a = 0.5 * layer.mean(1) + 0.5 * eye
        total = a / a.sum(-1, keepdim=True) @ total
    return total.detach()


# %% wrong: first_layer_detached (no name)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    total = eye
    for layer in weights:
        a = 0.5 * layer.mean(1) + 0.5 * eye
        total = total.detach()
        total = a / a.sum(-1, keepdim=True) @ total
    return total


# %% wrong: without_gradient_of_the_sums (no-gradient)
def attention_rollout(weights):
    eye = torch.eye(weights[0].shape[-1])
    total = eye
    for layer in weights:
        a = 0.5 * layer.mean(1) + 0.5 * eye
        total = a / a.sum(-1, keepdim=True).detach() @ total
    return total


# %% wrong: normalised_first (normalised-before-mixing)
def attention_rollout(weights):
    total = None
    for layer in weights:
        a = layer.mean(1)
        a = a / a.sum(-1, keepdim=True)
        a = 0.5 * a + 0.5 * torch.eye(a.shape[-1])
        total = a if total is None else a @ total
    return total
