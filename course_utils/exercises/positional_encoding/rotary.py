"""Rotary encoding: `rotary(x, positions)`, (B, H, T, d), (T,) -> (B, H, T, d)."""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils import positional_encoding as ref
from course_utils.judging.exercise import Case, Draw, Exercise, Outcome, Property
from course_utils.judging.pictures import weights_picture
from course_utils.judging.promises import even


def cases(draw: Draw) -> list[Case]:
    batch, heads, length, half, other = draw.sizes(5, low=2, high=6)

    def x(steps: int, pairs: int) -> Tensor:
        return draw.normal(batch, heads, steps, 2 * pairs)

    return [
        Case(
            "the example of the text: (1, 0) at position 1",
            args=(torch.tensor([[[[1.0, 0.0]]]]), torch.tensor([1])),
        ),
        Case(f"{length} steps, {2 * half} features", args=(x(length, half), torch.arange(length))),
        Case("positions that start later", args=(x(other, half), torch.arange(other) + 5)),
        Case("positions in any order", args=(x(length, other), draw.permutation(12)[:length])),
        Case(
            "values and gradients", args=(x(length, half), torch.arange(length) + 1), gradients=True
        ),
        Case(
            "all positions 0: nothing turns",
            args=(x(length, half), torch.zeros(length, dtype=torch.long)),
            group="edge",
        ),
        Case("one step", args=(x(1, half), torch.tensor([7])), group="edge"),
        Case("one pair", args=(x(length, 1), torch.arange(length)), group="edge"),
    ]


def keeps_lengths(case: Case, got: Outcome) -> str | None:
    before, after = case.args[0], got.value
    if not isinstance(after, Tensor) or after.shape != before.shape:
        return "the result does not have the shape of x"
    if bool(((after.norm(dim=-1) - before.norm(dim=-1)).abs() > 1e-3).any()):
        return "the length of a vector has changed"
    return None


EXERCISE = Exercise(
    name="rotary",
    points=4,
    section="Rotary encoding",
    reference=ref.rotary,
    returns=("x turned (B, H, T, d)",),
    cases=cases,
    promised=even(lambda case: int(case.args[0].shape[-1])),
    properties=(Property("keeps the length of every vector", keeps_lengths),),
    picture=weights_picture(0, "steps", "features"),
)


def turned(
    angles: Callable[[Tensor, Tensor], Tensor] = lambda x, positions: (
        positions[:, None] * ref.frequencies(x.shape[-1])
    ),
    turn: Callable[..., tuple[Tensor, Tensor]] = lambda a, b, cos, sin: (
        a * cos - b * sin,
        a * sin + b * cos,
    ),
    halves: bool = False,
    join: Callable[[Tensor, Tensor], Tensor] | None = None,
) -> Callable[[Tensor, Tensor], Tensor]:
    """The rotation with other angles, another formula, other pairs or another way to put them
    together."""

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle = angles(x, positions)
        first, second = x.chunk(2, -1) if halves else (x[..., 0::2], x[..., 1::2])
        a, b = turn(first, second, angle.cos(), angle.sin())
        if join is not None:
            return join(a, b)
        return torch.cat([a, b], -1) if halves else torch.stack([a, b], -1).flatten(-2)

    return rotate


EXERCISE.misconception(
    "halves",
    "The first half is paired with the second",
    "You pair feature i with feature i + d / 2. Some libraries do so, and it works as well as "
    "long as queries and keys agree; here the pairs are neighbours, (2i, 2i + 1).",
    turned(halves=True),
)

EXERCISE.misconception(
    "backwards",
    "Turned the other way",
    "You turn by minus the angle. The text asks for the usual direction: (1, 0) at angle a becomes "
    "(cos a, sin a).",
    turned(turn=lambda a, b, cos, sin: (a * cos + b * sin, b * cos - a * sin)),
)


def overwritten(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    a = a * cos - b * sin
    return a, a * sin + b * cos


EXERCISE.misconception(
    "overwritten",
    "The second line uses the new value",
    "You overwrite the even features and then use them, already turned, for the odd ones. Both "
    "new coordinates come from both old ones.",
    turned(turn=overwritten),
)

EXERCISE.misconception(
    "not-a-rotation",
    "A sign is missing",
    "Both of your sums have a plus. That is not a rotation: lengths change. One of the two "
    "coordinates has a minus.",
    turned(turn=lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos)),
)

EXERCISE.misconception(
    "positions-ignored",
    "The positions are not used",
    "You count the steps yourself, from 0. The caller says where they stand: with a cache, the "
    "first step of a tensor may be the hundredth of the text.",
    turned(
        angles=lambda x, positions: (
            torch.arange(x.shape[-2])[:, None] * ref.frequencies(x.shape[-1])
        )
    ),
)

EXERCISE.misconception(
    "not-interleaved",
    "Put together in another order",
    "The pairs are turned correctly, but then you put all first coordinates first and all second "
    "ones last. Each must go back to its own column.",
    turned(join=lambda a, b: torch.cat([a, b], -1)),
)

EXERCISE.misconception(
    "pair-index-for-2i",
    "The exponent is half what it should be",
    "Your angles use 10000^(i / d) where the formula has 10000^(2i / d), i being the number of "
    "the pair.",
    turned(
        angles=lambda x, positions: (
            positions[:, None] / 10000 ** (torch.arange(x.shape[-1] // 2) / x.shape[-1])
        )
    ),
)

EXERCISE.misconception(
    "one-frequency",
    "All pairs turn at the same speed",
    "You turn every pair by the same angle. Each pair has its own frequency: a clock with one "
    "hand only cannot tell the hour.",
    turned(angles=lambda x, positions: positions[:, None].expand(-1, x.shape[-1] // 2).float()),
)

EXERCISE.misconception(
    "model-size-for-head-size",
    "Frequencies for the size of the model",
    "You compute the frequencies with H * d. Rotary encoding works inside a head: the exponent is "
    "2i / d.",
    turned(
        angles=lambda x, positions: (
            positions[:, None]
            / 10000 ** (torch.arange(0, x.shape[-1], 2) / (x.shape[1] * x.shape[-1]))
        )
    ),
)

EXERCISE.misconception(
    "multiplied-angle",
    "The frequencies grow instead of falling",
    "You multiply the position by 10000^(2i / d) instead of dividing: the last pairs spin so fast "
    "that neighbouring positions look random.",
    turned(
        angles=lambda x, positions: (
            positions[:, None] * 10000 ** (torch.arange(0, x.shape[-1], 2) / x.shape[-1])
        )
    ),
)

EXERCISE.misconception(
    "positions-from-one",
    "One position too far",
    "You add 1 to the positions. At position 0 nothing should turn.",
    turned(angles=lambda x, positions: (positions[:, None] + 1) * ref.frequencies(x.shape[-1])),
)


def encoding_at(x: Tensor, positions: Tensor) -> Tensor:
    angles = positions[:, None] * ref.frequencies(x.shape[-1])
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


EXERCISE.misconception(
    "added-not-turned",
    "Added instead of turned",
    "You add the sinusoidal encoding. Rotary encoding adds nothing: it turns what is there, so "
    "that lengths stay as they are.",
    lambda x, positions: x + encoding_at(x, positions),
)

EXERCISE.misconception(
    "cosine-only",
    "Only the cosine",
    "You multiply by the cosine alone. A rotation also brings in the other coordinate of the "
    "pair, times the sine.",
    turned(turn=lambda a, b, cos, sin: (a * cos, b * cos)),
)

EXERCISE.misconception(
    "nothing-turned",
    "Nothing turns",
    "x comes back as it went in.",
    lambda x, positions: x,
)
