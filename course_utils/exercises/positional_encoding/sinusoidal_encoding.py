"""Sines and cosines: `sinusoidal_encoding(length, dim)`.

-> (T, D): sines in the even columns, cosines in the odd ones.
"""

import math

import torch
from torch import Tensor

from course_utils import positional_encoding as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture

from ._sines import encoding, per_column


def cases(draw: Draw) -> list[Case]:
    a, b, c = draw.sizes(3, low=3, high=9)
    return [
        Case("the example of the text: 3 positions, 4 columns", args=(3, 4)),
        Case(f"{a} positions, {2 * b} columns", args=(a, 2 * b)),
        Case(f"{c} positions, {2 * a} columns", args=(c, 2 * a)),
        Case(f"{20 + b} positions, {4 * c} columns", args=(20 + b, 4 * c)),
        Case("one position", args=(1, 2 * a), group="edge"),
        Case("two columns", args=(b, 2), group="edge"),
        Case("an odd number of columns", args=(a, 2 * b + 1), group="edge", raises=ValueError),
    ]


EXERCISE = Exercise(
    name="sinusoidal_encoding",
    points=4,
    section="Sines and cosines",
    reference=ref.sinusoidal_encoding,
    returns=("encoding (T, D)",),
    cases=cases,
    picture=weights_picture(0, "positions", "columns"),
    tolerance=2e-5,
)

EXERCISE.misconception(
    "halves",
    "All sines, then all cosines",
    "Your first D / 2 columns are the sines and the others the cosines. Some libraries do it so, "
    "but here a sine and its cosine stand side by side: columns 0 and 1 belong together.",
    encoding(layout=lambda sin, cos: torch.cat([sin, cos], -1)),
)

EXERCISE.misconception(
    "rows-interleaved",
    "Stacked along the wrong axis",
    "You stack all sines on top of all cosines and then reshape. `reshape` never moves a number, "
    "so "
    "the rows of the table are torn apart: the first row holds the sines of several positions. "
    "Along which new axis do a sine and its cosine become neighbours?",
    encoding(layout=lambda sin, cos: torch.stack([sin, cos]).reshape(len(sin), -1)),
)

EXERCISE.misconception(
    "cosine-first",
    "The cosine comes first",
    "Your even columns are cosines. At position 0 the first column should be sin(0): which number "
    "is that, and which one have you got?",
    encoding(layout=lambda sin, cos: torch.stack([cos, sin], -1).flatten(1)),
)

EXERCISE.misconception(
    "all-sines",
    "Sines only",
    "Both columns of a pair hold the sine. With the sine alone, two angles in a turn cannot be "
    "told apart, and no rotation can lead from one position to the next.",
    encoding(layout=lambda sin, cos: torch.stack([sin, sin], -1).flatten(1)),
)

EXERCISE.misconception(
    "pair-index-for-2i",
    "The exponent is half what it should be",
    "Your exponent runs from 0 to 1/2: you use i / D where the formula has 2i / D. i counts the "
    "pairs, so 2i is the number of the pair's first column.",
    encoding(exponents=lambda i, dim: i / dim),
)

EXERCISE.misconception(
    "exponent-up-to-1",
    "The last exponent is 1",
    "Your exponents run from 0 to exactly 1: you divide by the number of steps between the pairs, "
    "D / 2 - 1. The formula has 2i / D, which stays below 1.",
    encoding(exponents=lambda i, dim: i / max(dim // 2 - 1, 1)),
)

EXERCISE.misconception(
    "column-index-for-i",
    "The exponent is twice what it should be",
    "Your exponent runs from 0 to 2: you took i for the number of the column, 0, 2, 4 …, and "
    "doubled it once more.",
    encoding(exponents=lambda i, dim: 4 * i / dim),
)

EXERCISE.misconception(
    "own-index",
    "Sine and cosine turn at different speeds",
    "In column 2i + 1 you use the exponent (2i + 1) / D. The sine and the cosine of a pair must "
    "have the same angle: only then are they the two coordinates of one hand of a clock.",
    per_column(1),
)

EXERCISE.misconception(
    "column-index-for-i",
    "i is not the number of the column",
    "In column j you use the exponent 2j / D, which runs from 0 to 2. In the formula i counts the "
    "*pairs*: columns 2i and 2i + 1 are the sine and the cosine of one angle, with the exponent "
    "2i / D.",
    per_column(2),
)

EXERCISE.misconception(
    "index-from-one",
    "The pairs are counted from 1",
    "Your first pair has the exponent 2 / D. Counted from 0 the first pair has the exponent 0, "
    "hence frequency 1: the fastest hand is missing in your encoding.",
    encoding(exponents=lambda i, dim: 2 * (i + 1) / dim),
)

EXERCISE.misconception(
    "multiplied",
    "The frequencies grow instead of falling",
    "You multiply the position by 10000^(2i / D) instead of dividing. The last hands then spin so "
    "fast that neighbouring positions look random.",
    encoding(angle=lambda t, scale: t * scale),
)

EXERCISE.misconception(
    "positions-from-one",
    "The positions are counted from 1",
    "Your first row is the encoding of position 1. Position 0 has the row 0, 1, 0, 1, …",
    encoding(start=1),
)

EXERCISE.misconception(
    "base-1000",
    "Another base",
    "You use the base 1000. The formula has 10000: the slowest hand must be slow enough for long "
    "texts.",
    encoding(base=1000.0),
)

EXERCISE.misconception(
    "log-of-another-base",
    "A logarithm that does not fit the exponential",
    "You rewrite the power as exp(… log 10000), but with a logarithm to another base (log2 or "
    "log10). `exp` is undone by the natural logarithm only.",
    encoding(base=math.exp(math.log2(10000.0))),
)

EXERCISE.misconception(
    "log10-with-exp",
    "A logarithm that does not fit the exponential",
    "You rewrite the power as exp(… log 10000), but with the logarithm to base 10. `exp` is "
    "undone by the natural logarithm only.",
    encoding(base=math.exp(4.0)),
)

EXERCISE.misconception(
    "integer-division",
    "The exponent is always 0",
    "All your pairs turn at the same speed: the exponent was rounded down to 0. `//` divides "
    "whole numbers and drops the rest.",
    encoding(exponents=lambda i, dim: 0 * i),
)

EXERCISE.misconception(
    "degrees",
    "Degrees",
    "You convert the angle to radians as if it were in degrees. It is in radians already.",
    encoding(angle=lambda t, scale: (t / scale).deg2rad()),
)


@EXERCISE.misconception(
    "position-and-pair-swapped",
    "Position and pair are swapped",
    "You have the number of the pair in the numerator and the position in the exponent. The angle "
    "grows evenly with the position; it is the pairs that go down in powers.",
)
def swapped(length: int, dim: int) -> Tensor:
    if dim % 2:
        raise ValueError("odd")
    angles = torch.arange(dim // 2) / 10000 ** (2 * torch.arange(length)[:, None] / dim)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


EXERCISE.misconception(
    "transposed",
    "Rows and columns are swapped",
    "Your result is (D, T). Each row should be a position.",
    lambda length, dim: ref.sinusoidal_encoding(length, dim).mT,
)


@EXERCISE.misconception(
    "unchecked",
    "The error is not the one that was asked for",
    "For an odd number of columns something inside your function fails by itself. The text asks "
    "for a "
    "ValueError that says so.",
)
def unchecked(length: int, dim: int) -> Tensor:
    angles = torch.arange(length)[:, None] * ref.frequencies(dim)
    table = torch.zeros(length, dim)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


@EXERCISE.misconception(
    "unchecked",
    "An assert is not a ValueError",
    "You check the number of columns by `assert`, which raises an AssertionError (and is left out "
    "when Python runs with -O). The text asks for a ValueError: `raise` it.",
)
def asserted(length: int, dim: int) -> Tensor:
    assert dim % 2 == 0
    return ref.sinusoidal_encoding(length, dim)


@EXERCISE.misconception(
    "odd-allowed",
    "An odd number of columns goes through",
    "For an odd number of columns you return a table in which one sine has lost its cosine. The "
    "text "
    "asks for a ValueError.",
)
def cut_to_size(length: int, dim: int) -> Tensor:
    angles = torch.arange(length)[:, None] * ref.frequencies(dim)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :dim]
