"""Layers that see the future or not, and ways to look for a leak, for `sees_the_future`."""

import ast
from collections.abc import Callable, Iterable

import torch
from torch import Tensor

from course_utils.judging import syntax
from course_utils.judging.exercise import Draw
from course_utils.judging.toys import Toy

Layer = Callable[[Tensor], Tensor]  # (B, T, D) -> (B, T, E)
Change = Callable[[Tensor, int], Tensor]  # x, a step -> another x


def mixing(
    draw: Draw,
    t: int,
    d: int,
    e: int,
    *leaks: tuple[int, int, float],
    features: Tensor | None = None,
    diagonal: int = 0,
    size: float = 1.0,
    **form: Tensor,
) -> Toy:
    """A layer that mixes t time steps: the past freely, the future only where `leaks` say so (to,
    from, weight)."""
    time = draw.uniform(t, t, low=0.2, high=0.5) * draw.normal(t, t).sign()
    time = time.tril(diagonal) * size
    for to, from_, weight in leaks:
        time[to, from_] = weight
    features = draw.normal(d, e, scale=0.5) if features is None else features
    return Toy("time_mix", {"time": time, "features": features} | form)


def rounding(
    draw: Draw, b: int, t: int, d: int, size: float = 1.0, further: float = 1.0
) -> tuple[Toy, Tensor]:
    """A causal layer in which the future is added and subtracted again: outputs of .1 to .4 (times
    `size`) move by less than 1e-7. Nothing depends on the future, and every gradient says so."""
    past = draw.uniform(t, t, low=0.5, high=1.0).tril()
    features = draw.uniform(d, 5, low=0.5, high=1.0)
    weights = {
        "time": size * past / past.sum(-1, keepdim=True),
        "rounded": further * draw.uniform(t, t, low=0.01, high=0.03).triu(1),
        "features": 0.25 * features / features.sum(0),
    }
    return Toy("time_mix", weights), draw.uniform(b, t, d, low=0.5, high=1.5)


def noise(x: Tensor) -> Tensor:
    return torch.randn(x.shape, generator=torch.Generator().manual_seed(1))


def future(change: Layer) -> Change:
    """Another future: whatever `change` makes of x, from a step on."""
    return lambda x, t: torch.cat([x[:, :t], change(x)[:, t:]], dim=1)


random_future = future(lambda x: x + noise(x))


def random_past(x: Tensor, t: int) -> Tensor:
    return torch.cat([(x + noise(x))[:, :t], x[:, t:]], dim=1)


def random_step(x: Tensor, t: int) -> Tensor:
    return torch.cat([random_future(x, t)[:, : t + 1], x[:, t + 1 :]], dim=1)


def probe(
    seen: Change = lambda out, t: out[:, :t],
    change: Change = random_future,
    steps: Callable[[int], Iterable[int]] = lambda length: range(1, length),
    atol: float = 1e-6,
) -> Callable[[Layer, Tensor], bool]:
    """The perturbation test with another look, another change or other steps, as a variant."""

    def variant(layer: Layer, x: Tensor) -> bool:
        before = layer(x)
        return any(
            not torch.allclose(seen(layer(change(x, t)), t), seen(before, t), atol=atol)
            for t in steps(x.shape[1])
        )

    return variant


def moved(
    limit: float, size: Layer = torch.abs, largest: Layer = torch.max
) -> Callable[[Layer, Tensor], bool]:
    """The perturbation test with an absolute limit, as a variant."""

    def variant(layer: Layer, x: Tensor) -> bool:
        before, steps = layer(x), range(1, x.shape[1])
        seen = [largest(size(layer(random_future(x, t)) - before)[:, :t]) for t in steps]
        return any(bool(each > limit) for each in seen)

    return variant


def gradient_of_the_sum(layer: Layer, x: Tensor) -> bool:
    x = x.clone().requires_grad_()
    y = layer(x)
    seen = [torch.autograd.grad(y[:, t].sum(), x, retain_graph=True)[0] for t in range(x.shape[1])]
    return any(bool((g[:, t + 1 :].abs() > 1e-7).any()) for t, g in enumerate(seen))


def cut_off(layer: Layer, x: Tensor) -> bool:
    """The layer is called with the first steps alone, instead of with another future."""
    whole, steps = layer(x), range(1, x.shape[1])
    return any(not torch.allclose(layer(x[:, :t]), whole[:, :t], atol=1e-6) for t in steps)


def mentions_nan(tree: ast.AST) -> bool:
    written = any(getattr(node, "value", None) == "nan" for node in ast.walk(tree))
    return written or syntax.uses(tree, "nan", "isnan", "full_like")


def assigns_to_the_past(tree: ast.AST) -> bool:
    """Is there an assignment such as z[:, :t] = …?"""
    stored = [n for n in ast.walk(tree) if isinstance(n, ast.Subscript)]
    slices = [n.slice for n in stored if isinstance(n.ctx, ast.Store)]
    steps = [s.elts[1] for s in slices if isinstance(s, ast.Tuple) and len(s.elts) > 1]
    return any(isinstance(s, ast.Slice) and s.lower is None and s.upper is not None for s in steps)
