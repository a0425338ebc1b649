"""Layers that follow some permutations of their steps, and ways to test them, for
`is_equivariant`."""

from collections.abc import Callable, Iterable
from itertools import permutations

import torch
from torch import Tensor

from course_utils.judging.exercise import Draw
from course_utils.judging.toys import Toy

Layer = Callable[[Tensor], Tensor]  # (B, T, D) -> (B, T, E)
Orders = Callable[[int], Iterable[Tensor]]  # a length -> the orders that are tried


def mixed(draw: Draw, time: Tensor, d: int, e: int, features: Tensor | None = None) -> Toy:
    """A layer that mixes its steps by `time` (T, T), then the features."""
    features = draw.normal(d, e, scale=0.5) if features is None else features
    return Toy("time_mix", {"time": time, "features": features})


def fair(draw: Draw, t: int) -> Tensor:
    """(T, T): each step has one weight for itself and another for all steps. Such matrices, and no
    others, follow every permutation."""
    own, all_ = draw.uniform(2, low=0.4, high=0.8).tolist()
    return own * torch.eye(t) - all_ / t * torch.ones(t, t)


def own(draw: Draw, t: int) -> Tensor:
    return draw.uniform(t, t, low=0.2, high=0.6) * draw.normal(t, t).sign()


def special(draw: Draw, t: int, step: int, more: float = 0.4) -> Tensor:
    """Fair to all steps but one."""
    time = fair(draw, t)
    time[step, step] += more
    return time


def middle_pair(draw: Draw) -> Tensor:
    """Of six steps the two in the middle count more, both alike: the reversed order is followed,
    and so is every one that leaves the middle alone."""
    return fair(draw, 6) + 0.4 * torch.diag(torch.tensor([0.0, 0.0, 1.0, 1.0, 0.0, 0.0]))


def neighbours(draw: Draw, t: int) -> Tensor:
    """The same from both ends: the reversed order is followed."""
    return fair(draw, t) + 0.3 * (torch.ones(t, t).tril(1).triu(-1) - torch.eye(t))


def circle(draw: Draw, t: int) -> Tensor:
    """Every step looks at the one before it, the first at the last: turns are followed."""
    return fair(draw, t) + 0.4 * torch.eye(t).roll(1, 0)


def ring(draw: Draw, t: int) -> Tensor:
    """Every step looks at both neighbours, the ends at each other: turns and the reversed order are
    followed. With fewer than four steps everybody is a neighbour, and the layer is fair."""
    nearby = torch.eye(t).roll(1, 0) + torch.eye(t).roll(-1, 0)
    return fair(draw, t) + 0.3 * nearby


def same_total(draw: Draw, t: int) -> Tensor:
    """A circle with weights so small that the layer is nearly linear: the sum of all outputs stays
    the same in every order."""
    return 0.004 * circle(draw, t)


def positive(draw: Draw, t: int) -> Tensor:
    """One step counts more, and all weights are positive."""
    time = 0.5 * torch.eye(t) + draw.uniform(1, low=0.1, high=0.2).expand(t, t)
    time[0, 0] += 0.4
    return time


def best_order(draw: Draw, b: int, t: int, d: int, e: int) -> tuple[Toy, Tensor]:
    """Later steps count more, and hold more: in every other order all outputs are smaller."""
    time = 0.1 * torch.arange(1.0, t + 1).expand(t, t)
    x = (torch.arange(t)[:, None] + draw.uniform(b, t, d, low=0.5, high=1.0)) / t
    return mixed(draw, time, d, e, draw.uniform(d, e, low=0.2, high=0.4)), x


def rounding(draw: Draw, b: int, t: int, d: int, e: int) -> tuple[Toy, Tensor]:
    """Fair, but further steps are added and subtracted again: outputs differ by less than 1e-5."""
    weights = {
        "time": fair(draw, t),
        "rounded": draw.uniform(t, t, low=4.0, high=10.0),
        "features": draw.normal(d, e, scale=0.5),
    }
    return Toy("time_mix", weights), draw.normal(b, t, d)


def every(t: int) -> Iterable[Tensor]:
    return (torch.tensor(order, dtype=torch.long) for order in permutations(range(t)))


def swapped(t: int, one: int, other: int) -> Tensor:
    order = torch.arange(t)
    order[[one, other]] = order[[other, one]]
    return order


def reversed_order(t: int) -> Iterable[Tensor]:
    return [torch.arange(t).flip(0)]


def rolled(t: int) -> Iterable[Tensor]:
    return [torch.arange(t).roll(shift) for shift in range(t)]


def turned_and_mirrored(t: int) -> Iterable[Tensor]:
    return [order for turn in rolled(t) for order in (turn, turn.flip(0))]


def first_two(t: int) -> Iterable[Tensor]:
    return [swapped(t, 0, min(1, t - 1))]


def last_two(t: int) -> Iterable[Tensor]:
    return [swapped(t, max(t - 2, 0), t - 1)]


def first_and_last(t: int) -> Iterable[Tensor]:
    return [swapped(t, 0, t - 1)]


def probe(
    tried: Orders = every,
    follow: Callable[[Tensor, Tensor], Tensor] = lambda out, order: out[:, order],
    look: Layer = lambda out: out,
    atol: float = 1e-5,
) -> Callable[[Layer, Tensor], bool]:
    """The test with other orders, another comparison or another look, as a variant."""

    def variant(layer: Layer, x: Tensor) -> bool:
        out = layer(x)
        return all(
            torch.allclose(look(layer(x[:, order])), look(follow(out, order)), atol=atol)
            for order in tried(x.shape[1])
        )

    return variant


def exactly(layer: Layer, x: Tensor) -> bool:
    out = layer(x)
    return all(torch.equal(layer(x[:, order]), out[:, order]) for order in every(x.shape[1]))
