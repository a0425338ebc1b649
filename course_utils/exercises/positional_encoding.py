"""Unit 06: what its exercises ask, how they are judged, and what students get wrong in them."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import positional_encoding as ref
from course_utils import syntax
from course_utils.exercise import Case, Choice, Draw, Exercise, Misconception, Option, Outcome, Property, Unit
from course_utils.pictures import weights_picture

# sinusoidal_encoding -------------------------------------------------------------------------------------------------


def encoding_cases(draw: Draw) -> list[Case]:
    a, b, c = draw.sizes(3, low=3, high=9)
    return [
        Case(f"{a} positions, {2 * b} columns", args=(a, 2 * b)),
        Case(f"{c} positions, {2 * a} columns", args=(c, 2 * a)),
        Case(f"{20 + b} positions, {4 * c} columns", args=(20 + b, 4 * c)),
        Case("one position", args=(1, 2 * a), group="edge"),
        Case("two columns", args=(b, 2), group="edge"),
        Case("an odd number of columns", args=(a, 2 * b + 1), group="edge", raises=ValueError),
    ]


def encoding(
    exponents: Callable[[Tensor, int], Tensor] = lambda i, dim: 2 * i / dim,
    base: float = 10000.0,
    start: int = 0,
    angle: Callable[[Tensor, Tensor], Tensor] = lambda t, scale: t / scale,
    layout: Callable[[Tensor, Tensor], Tensor] = lambda sin, cos: torch.stack([sin, cos], -1).flatten(1),
) -> Callable[[int, int], Tensor]:
    """The encoding with one of its parts replaced; i counts the pairs from 0."""

    def make(length: int, dim: int) -> Tensor:
        if dim % 2:
            raise ValueError("odd")
        scale = base ** exponents(torch.arange(dim // 2), dim)  # (D / 2,)
        angles = angle(torch.arange(start, start + length)[:, None], scale)  # (T, D / 2)
        return layout(angles.sin(), angles.cos())

    return make


def _own_index(length: int, dim: int) -> Tensor:
    if dim % 2:
        raise ValueError("odd")
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(dim) / dim)  # (T, D): column j has the exponent j / D
    return torch.where(torch.arange(dim) % 2 == 0, angles.sin(), angles.cos())


def _unchecked(length: int, dim: int) -> Tensor:
    angles = torch.arange(length)[:, None] * ref.frequencies(dim)
    table = torch.zeros(length, dim)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles.cos()
    return table


def _cut_to_size(length: int, dim: int) -> Tensor:
    angles = torch.arange(length)[:, None] * ref.frequencies(dim)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :dim]


def _swapped(length: int, dim: int) -> Tensor:
    if dim % 2:
        raise ValueError("odd")
    angles = torch.arange(dim // 2) / 10000 ** (2 * torch.arange(length)[:, None] / dim)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


SINUSOIDAL = Exercise(
    name="sinusoidal_encoding",
    points=4,
    section="Sines and cosines",
    reference=ref.sinusoidal_encoding,
    returns=("encoding (T, D)",),
    cases=encoding_cases,
    picture=weights_picture(0, "positions", "columns"),
    tolerance=2e-5,
    misconceptions=(
        Misconception(
            "halves",
            "All sines, then all cosines",
            "Your first D / 2 columns are the sines and the others the cosines. Some libraries do it so, but here a sine and its "
            "cosine stand side by side: columns 0 and 1 belong together.",
            encoding(layout=lambda sin, cos: torch.cat([sin, cos], -1)),
        ),
        Misconception(
            "cosine-first",
            "The cosine comes first",
            "Your even columns are cosines. At position 0 the first column should be sin(0): which number is that, and which one have "
            "you got?",
            encoding(layout=lambda sin, cos: torch.stack([cos, sin], -1).flatten(1)),
        ),
        Misconception(
            "all-sines",
            "Sines only",
            "Both columns of a pair hold the sine. With the sine alone, two angles in a turn cannot be told apart, and no rotation can "
            "lead from one position to the next.",
            encoding(layout=lambda sin, cos: torch.stack([sin, sin], -1).flatten(1)),
        ),
        Misconception(
            "pair-index-for-2i",
            "The exponent is half of what it should be",
            "Your exponent runs from 0 to 1/2: you use i / D where the formula has 2i / D. i counts the pairs, so 2i is the number of "
            "the pair's first column.",
            encoding(exponents=lambda i, dim: i / dim),
        ),
        Misconception(
            "column-index-for-i",
            "The exponent is twice what it should be",
            "Your exponent runs from 0 to 2: you took i for the number of the column, 0, 2, 4 …, and doubled it once more.",
            encoding(exponents=lambda i, dim: 4 * i / dim),
        ),
        Misconception(
            "own-index",
            "Sine and cosine turn at different speeds",
            "In column 2i + 1 you use the exponent (2i + 1) / D. The sine and the cosine of a pair must have the same angle: only then "
            "are they the two coordinates of one hand of a clock.",
            _own_index,
        ),
        Misconception(
            "index-from-one",
            "The pairs are counted from 1",
            "Your first pair has the exponent 2 / D. Counted from 0 the first pair has the exponent 0, hence frequency 1: the fastest "
            "hand is missing in your encoding.",
            encoding(exponents=lambda i, dim: 2 * (i + 1) / dim),
        ),
        Misconception(
            "multiplied",
            "The frequencies grow instead of falling",
            "You multiply the position by 10000^(2i / D) instead of dividing. The last hands then spin so fast that neighbouring "
            "positions look random.",
            encoding(angle=lambda t, scale: t * scale),
        ),
        Misconception(
            "positions-from-one",
            "The positions are counted from 1",
            "Your first row is the encoding of position 1. Position 0 has the row 0, 1, 0, 1, …",
            encoding(start=1),
        ),
        Misconception(
            "base-1000",
            "Another base",
            "You use the base 1000. The formula has 10000: the slowest hand must be slow enough for long texts.",
            encoding(base=1000.0),
        ),
        Misconception(
            "log-of-another-base",
            "A logarithm that does not fit the exponential",
            "You rewrite the power as exp(… log 10000), but with a logarithm to another base (log2 or log10). `exp` is undone by the "
            "natural logarithm only.",
            encoding(base=math.exp(math.log2(10000.0))),
        ),
        Misconception(
            "log10-with-exp",
            "A logarithm that does not fit the exponential",
            "You rewrite the power as exp(… log 10000), but with the logarithm to base 10. `exp` is undone by the natural logarithm only.",
            encoding(base=math.exp(4.0)),
        ),
        Misconception(
            "integer-division",
            "The exponent is always 0",
            "All your pairs turn at the same speed: the exponent was rounded down to 0. `//` divides whole numbers and drops the rest.",
            encoding(exponents=lambda i, dim: 0 * i),
        ),
        Misconception(
            "degrees",
            "Degrees",
            "You convert the angle to radians as if it were in degrees. It is in radians already.",
            encoding(angle=lambda t, scale: (t / scale).deg2rad()),
        ),
        Misconception(
            "position-and-pair-swapped",
            "Position and pair have changed places",
            "You have the number of the pair in the numerator and the position in the exponent. The angle grows evenly with the "
            "position; it is the pairs that go down in powers.",
            _swapped,
        ),
        Misconception(
            "transposed",
            "Rows and columns have changed places",
            "Your result is (D, T). Each row should be a position.",
            lambda length, dim: ref.sinusoidal_encoding(length, dim).mT,
        ),
        Misconception(
            "unchecked",
            "The error is not the one that was asked for",
            "For an odd number of columns something inside your function fails by itself. Asked for is a ValueError that says so.",
            _unchecked,
        ),
        Misconception(
            "odd-allowed",
            "An odd number of columns goes through",
            "For an odd number of columns you return a table in which one sine has lost its cosine. Asked for is a ValueError.",
            _cut_to_size,
        ),
    ),
)

# LearnedPositions ----------------------------------------------------------------------------------------------------


def learned_cases(draw: Draw) -> list[Case]:
    batch, length, dim, spare = draw.sizes(4, low=2, high=9)
    rows = length + spare
    init, long = (rows, dim), {"table.weight": draw.normal(rows, dim)}

    def x(steps: int) -> Tensor:
        return draw.normal(batch, steps, dim)

    return [
        Case(f"{length} steps, positions for {rows}", init=init, weights=long, args=(x(length),)),
        Case("another length", init=init, weights=long, args=(x(length + 1),)),
        Case("gradients reach the table", init=init, weights=long, args=(x(length),), gradients=True),
        Case("one step", init=init, weights=long, args=(x(1),), group="edge"),
        Case("exactly as long as the table", init=init, weights=long, args=(x(rows),), group="edge"),
        Case("longer than the table", init=init, weights=long, args=(x(rows + 1),), group="edge", raises=ValueError),
        Case("a batch of one", init=init, weights=long, args=(draw.normal(1, length, dim),), group="edge"),
    ]


def learned(forward: Callable[[Any, Tensor], Tensor], checked: bool = True) -> type[ref.LearnedPositions]:
    """The module with another forward, which refuses what is too long unless told otherwise."""

    def run(self: Any, x: Tensor) -> Tensor:
        if checked and x.shape[1] > self.table.num_embeddings:
            raise ValueError("too long")
        return forward(self, x)

    return type("Variant", (ref.LearnedPositions,), {"forward": run})


def _add_in_place(self: Any, x: Tensor) -> Tensor:
    x.data += self.table.weight[: x.shape[1]].detach()
    return x


LEARNED = Exercise(
    name="LearnedPositions",
    kind="module",
    points=3,
    section="Learned positions",
    reference=ref.LearnedPositions,
    returns=("x with positions (B, T, D)",),
    cases=learned_cases,
    misconceptions=(
        Misconception(
            "position-of-the-batch",
            "Positions along the batch",
            "You take one row of the table per sequence instead of one per time step: all steps of a sequence get the same vector. The "
            "batch is axis 0, the time is axis 1.",
            learned(lambda self, x: x + self.table.weight[torch.arange(len(x)) % self.table.num_embeddings][:, None]),
        ),
        Misconception(
            "batch-size-for-length",
            "The size of the batch taken for the length",
            "You take as many rows as there are sequences in the batch. It runs only where both numbers are equal: `x.shape` is (B, T, D).",
            learned(lambda self, x: x + self.table.weight[: x.shape[0]]),
            syntax=lambda tree: syntax.uses(tree, "shape", "size") or bool(syntax.calls(tree, "len")),
        ),
        Misconception(
            "positions-from-one",
            "The positions are counted from 1",
            "Your first step gets row 1 of the table. Row 0 is never used, and a sequence as long as the table runs out of it.",
            learned(lambda self, x: x + self.table(torch.arange(1, x.shape[1] + 1))),
        ),
        Misconception(
            "last-rows",
            "The last rows instead of the first",
            "You take the last T rows of the table, so the vector of a step depends on how long the sequence is. Step t gets row t.",
            learned(lambda self, x: x + self.table.weight[-x.shape[1] :]),
        ),
        Misconception(
            "same-position-for-all",
            "Every step gets the same vector",
            "You add the same row to every step. That cannot tell them apart.",
            learned(lambda self, x: x + self.table.weight[0]),
        ),
        Misconception(
            "position-of-the-length",
            "Every step gets the vector of the length",
            "You look up the number T itself, instead of the numbers 0 … T - 1: all steps get the same row.",
            learned(lambda self, x: x + self.table(torch.tensor(x.shape[1] - 1))),
        ),
        Misconception(
            "input-forgotten",
            "The input is gone",
            "You return the positions alone: all sequences look the same. Add them to x.",
            learned(lambda self, x: self.table.weight[: x.shape[1]].expand_as(x)),
        ),
        Misconception(
            "positions-without-batch",
            "The input is gone",
            "You return the rows of the table (T, D). Asked for is x plus these rows, (B, T, D).",
            learned(lambda self, x: self.table.weight[: x.shape[1]]),
        ),
        Misconception(
            "multiplied",
            "Multiplied instead of added",
            "You multiply x by the positions. Asked for is the sum.",
            learned(lambda self, x: x * self.table.weight[: x.shape[1]]),
        ),
        Misconception(
            "concatenated",
            "Concatenated instead of added",
            "You put the positions behind the features, so the result is twice as wide. Asked for is the sum, of the same size as x.",
            learned(lambda self, x: torch.cat([x, self.table.weight[: x.shape[1]].expand_as(x)], -1)),
        ),
        Misconception(
            "nothing-added",
            "Nothing is added",
            "x comes back as it went in.",
            learned(lambda self, x: x),
        ),
        Misconception(
            "unchecked-lookup",
            "The error is not the one that was asked for",
            "For a sequence longer than the table the look-up fails by itself, with an IndexError. Asked for is a ValueError that "
            "tells the caller what is wrong with the input.",
            learned(lambda self, x: x + self.table(torch.arange(x.shape[1])), checked=False),
        ),
        Misconception(
            "unchecked-slice",
            "The error is not the one that was asked for",
            "For a sequence longer than the table your slice is too short, and the sum fails by itself. Asked for is a ValueError that "
            "tells the caller what is wrong with the input.",
            learned(lambda self, x: x + self.table.weight[: x.shape[1]], checked=False),
        ),
        Misconception(
            "sequence-cut",
            "The sequence is cut without a word",
            "For a sequence longer than the table you drop the end. Nobody would notice that text is missing: raise a ValueError.",
            learned(lambda self, x: (y := x[:, : self.table.num_embeddings]) + self.table.weight[: y.shape[1]], checked=False),
        ),
        Misconception(
            "wraps-around",
            "The positions start again at 0",
            "For a sequence longer than the table you begin again at row 0, so two steps share a position. Asked for is a ValueError.",
            learned(lambda self, x: x + self.table(torch.arange(x.shape[1]) % self.table.num_embeddings), checked=False),
        ),
        Misconception(
            "last-row-repeated",
            "All late steps share the last position",
            "For a sequence longer than the table you use its last row again and again. Asked for is a ValueError.",
            learned(lambda self, x: x + self.table(torch.arange(x.shape[1]).clamp(max=self.table.num_embeddings - 1)), checked=False),
        ),
        Misconception(
            "off-by-one-refusal",
            "One step too strict",
            "You refuse a sequence that is exactly as long as the table. It has a row for each of its steps: `>` and `>=` differ in "
            "this case.",
            learned(lambda self, x: ref.LearnedPositions.forward(self, x) if x.shape[1] < self.table.num_embeddings else _refuse()),
        ),
    ),
)


def _refuse() -> Tensor:
    raise ValueError("too long")


# shift_matrix --------------------------------------------------------------------------------------------------------


def shift_cases(draw: Draw) -> list[Case]:
    a, b, c = draw.sizes(3, low=2, high=6)
    return [
        Case(f"{a} steps on, {2 * b} columns", args=(a, 2 * b)),
        Case(f"{b + 7} steps on, {2 * c} columns", args=(b + 7, 2 * c)),
        Case("one step on", args=(1, 2 * c)),
        Case("back", args=(-a, 2 * b), group="edge"),
        Case("no step", args=(0, 2 * a), group="edge"),
        Case("one pair", args=(c, 2), group="edge"),
    ]


def _moves_every_position(case: Case, got: Outcome) -> str | None:
    offset, dim = case.args
    matrix = got.value
    if not isinstance(matrix, Tensor) or matrix.shape != (dim, dim):
        return "the result is not a (D, D) matrix"
    table = ref.sinusoidal_encoding(60, dim).double()  # (60, D)
    begin = max(0, -offset)
    end = 60 - max(0, offset)
    moved = table[begin:end] @ matrix.double().mT
    wrong = (moved - table[begin + offset : end + offset]).abs().amax(-1) > 1e-3
    if not bool(wrong.any()):
        return None
    return f"at t = {begin + int(wrong.nonzero()[0])}, M @ p(t) is not p(t + {offset})"


def matrix_of(
    angles: Callable[[float, int], Tensor] = lambda offset, dim: offset * ref.frequencies(dim),
    signs: tuple[int, int] = (1, -1),
    halves: bool = False,
) -> Callable[[float, int], Tensor]:
    """The matrix with other angles, other signs of the sines (upper right, lower left), or for halves instead of pairs."""

    def make(offset: float, dim: int) -> Tensor:
        turn = angles(offset, dim)
        matrix, pairs = torch.zeros(dim, dim), torch.arange(dim // 2)
        first, second = (pairs, pairs + dim // 2) if halves else (2 * pairs, 2 * pairs + 1)
        matrix[first, first] = matrix[second, second] = turn.cos()
        matrix[first, second], matrix[second, first] = signs[0] * turn.sin(), signs[1] * turn.sin()
        return matrix

    return make


def _for_one_position(offset: int, dim: int) -> Tensor:
    at = lambda t: torch.stack([(t * ref.frequencies(dim)).sin(), (t * ref.frequencies(dim)).cos()], -1).flatten()  # noqa: E731
    return torch.outer(at(offset), at(0)) / at(0).dot(at(0))


SHIFT = Exercise(
    name="shift_matrix",
    points=4,
    section="Relative position is a rotation",
    reference=ref.shift_matrix,
    returns=("matrix (D, D)",),
    cases=shift_cases,
    properties=(Property("M @ p(t) = p(t + offset) for every t", _moves_every_position),),
    picture=weights_picture(0, "rows", "columns"),
    misconceptions=(
        Misconception(
            "backwards",
            "It goes back instead of on",
            "Your matrix leads from p(t) to p(t - offset). The rotation that stands in most textbooks is for the vector (cos, sin); "
            "here the sine comes first. Write down sin(a + b) and cos(a + b) and read the coefficients off, row by row.",
            matrix_of(signs=(-1, 1)),
        ),
        Misconception(
            "not-a-rotation",
            "Both signs are the same",
            "Your two sines have the same sign, so the matrix does not rotate: it changes lengths. One of the two addition theorems "
            "has a minus.",
            matrix_of(signs=(1, 1)),
        ),
        Misconception(
            "both-negative",
            "Both signs are the same",
            "Both of your sines are negative, so the matrix does not rotate: it changes lengths. Only one of the two addition theorems "
            "has a minus.",
            matrix_of(signs=(-1, -1)),
        ),
        Misconception(
            "halves",
            "Made for another layout",
            "Your matrix belongs to an encoding with all sines first, then all cosines. Here the partners stand side by side: columns "
            "2i and 2i + 1.",
            matrix_of(halves=True),
        ),
        Misconception(
            "one-angle",
            "All pairs turn by the same angle",
            "You turn every pair by the same angle. Each pair has its own frequency, and so its own angle for the same offset.",
            matrix_of(angles=lambda offset, dim: torch.full((dim // 2,), float(offset))),
        ),
        Misconception(
            "pair-index-for-2i",
            "The exponent is half of what it should be",
            "Your angles use 10000^(i / D) where the encoding has 10000^(2i / D), i being the number of the pair.",
            matrix_of(angles=lambda offset, dim: offset / 10000 ** (torch.arange(dim // 2) / dim)),
        ),
        Misconception(
            "index-from-one",
            "The pairs are counted from 1",
            "Your first pair turns with the frequency of the second. Counted from 0, the first frequency is 1.",
            matrix_of(angles=lambda offset, dim: offset / 10000 ** (2 * torch.arange(1, dim // 2 + 1) / dim)),
        ),
        Misconception(
            "diagonal-only",
            "The sines are missing",
            "Your matrix is diagonal: it stretches sine and cosine each on its own. sin(a + b) needs the cosine of a as well.",
            matrix_of(signs=(0, 0)),
        ),
        Misconception(
            "features-moved",
            "The features are moved, not the position",
            "Your matrix shifts the entries of the vector along. Moving on in time turns each pair by its angle; nothing changes its "
            "column.",
            lambda offset, dim: torch.eye(dim).roll(offset, 0),
        ),
        Misconception(
            "one-position-only",
            "Right for one position only",
            "Your matrix takes p(0) to p(offset), and fails for every other t. One matrix must do for all of them: it may depend on "
            "the offset, not on t.",
            _for_one_position,
        ),
        Misconception(
            "identity",
            "Nothing moves",
            "Your matrix is the identity whatever the offset.",
            lambda offset, dim: torch.eye(dim),
        ),
        Misconception(
            "rows-for-pairs",
            "The rotations are not put together",
            "You return one rotation per pair, (D / 2, 2, 2). Asked for is one (D, D) matrix with these along its diagonal.",
            lambda offset, dim: ref.shift_matrix(offset, dim).view(dim // 2, 2, dim // 2, 2).diagonal(dim1=0, dim2=2).permute(2, 0, 1),
        ),
    ),
)

# rotary --------------------------------------------------------------------------------------------------------------


def rotary_cases(draw: Draw) -> list[Case]:
    batch, heads, length, half, other = draw.sizes(5, low=2, high=6)

    def x(steps: int, pairs: int) -> Tensor:
        return draw.normal(batch, heads, steps, 2 * pairs)

    return [
        Case(f"{length} steps, {2 * half} features", args=(x(length, half), torch.arange(length))),
        Case("positions that start later", args=(x(other, half), torch.arange(other) + 5)),
        Case("positions in any order", args=(x(length, other), draw.permutation(12)[:length])),
        Case("gradients arrive", args=(x(length, half), torch.arange(length) + 1), gradients=True),
        Case("all positions 0: nothing turns", args=(x(length, half), torch.zeros(length, dtype=torch.long)), group="edge"),
        Case("one step", args=(x(1, half), torch.tensor([7])), group="edge"),
        Case("one pair", args=(x(length, 1), torch.arange(length)), group="edge"),
    ]


def _keeps_lengths(case: Case, got: Outcome) -> str | None:
    before, after = case.args[0], got.value
    if not isinstance(after, Tensor) or after.shape != before.shape:
        return "the result does not have the shape of x"
    if bool(((after.norm(dim=-1) - before.norm(dim=-1)).abs() > 1e-3).any()):
        return "the length of a vector has changed"
    return None


def turned(
    angles: Callable[[Tensor, Tensor], Tensor] = lambda x, positions: positions[:, None] * ref.frequencies(x.shape[-1]),
    turn: Callable[..., tuple[Tensor, Tensor]] = lambda a, b, cos, sin: (a * cos - b * sin, a * sin + b * cos),
    halves: bool = False,
    join: Callable[[Tensor, Tensor], Tensor] | None = None,
) -> Callable[[Tensor, Tensor], Tensor]:
    """The rotation with other angles, another formula, other pairs or another way to put them together."""

    def rotate(x: Tensor, positions: Tensor) -> Tensor:
        angle = angles(x, positions)
        first, second = x.chunk(2, -1) if halves else (x[..., 0::2], x[..., 1::2])
        a, b = turn(first, second, angle.cos(), angle.sin())
        if join is not None:
            return join(a, b)
        return torch.cat([a, b], -1) if halves else torch.stack([a, b], -1).flatten(-2)

    return rotate


def _overwritten(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    a = a * cos - b * sin
    return a, a * sin + b * cos


def _encoding_at(x: Tensor, positions: Tensor) -> Tensor:
    angles = positions[:, None] * ref.frequencies(x.shape[-1])
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


ROTARY = Exercise(
    name="rotary",
    points=4,
    section="Rotary encoding",
    reference=ref.rotary,
    returns=("x turned (B, H, T, d)",),
    cases=rotary_cases,
    properties=(Property("keeps the length of every vector", _keeps_lengths),),
    picture=weights_picture(0, "steps", "features"),
    misconceptions=(
        Misconception(
            "halves",
            "The first half is paired with the second",
            "You pair feature i with feature i + d / 2. Some libraries do so, and it works as well as long as queries and keys agree; "
            "here the pairs are neighbours, (2i, 2i + 1).",
            turned(halves=True),
        ),
        Misconception(
            "backwards",
            "Turned the other way",
            "You turn by minus the angle. Asked for is the usual direction: (1, 0) at angle a becomes (cos a, sin a).",
            turned(turn=lambda a, b, cos, sin: (a * cos + b * sin, b * cos - a * sin)),
        ),
        Misconception(
            "overwritten",
            "The second line uses the new value",
            "You overwrite the even features and then use them, already turned, for the odd ones. Both new coordinates come from both "
            "old ones.",
            turned(turn=_overwritten),
        ),
        Misconception(
            "not-a-rotation",
            "A sign is missing",
            "Both of your sums have a plus. That is not a rotation: lengths change. One of the two coordinates has a minus.",
            turned(turn=lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos)),
        ),
        Misconception(
            "positions-ignored",
            "The positions are not used",
            "You count the steps yourself, from 0. The caller says where they stand: with a cache, the first step of a tensor may be "
            "the hundredth of the text.",
            turned(angles=lambda x, positions: torch.arange(x.shape[-2])[:, None] * ref.frequencies(x.shape[-1])),
        ),
        Misconception(
            "not-interleaved",
            "Put together in another order",
            "The pairs are turned rightly, but then you put all first coordinates in front and all second ones behind. Each must go "
            "back to its own column.",
            turned(join=lambda a, b: torch.cat([a, b], -1)),
        ),
        Misconception(
            "pair-index-for-2i",
            "The exponent is half of what it should be",
            "Your angles use 10000^(i / d) where the formula has 10000^(2i / d), i being the number of the pair.",
            turned(angles=lambda x, positions: positions[:, None] / 10000 ** (torch.arange(x.shape[-1] // 2) / x.shape[-1])),
        ),
        Misconception(
            "one-frequency",
            "All pairs turn at the same speed",
            "You turn every pair by the same angle. Each pair has its own frequency: a clock with one hand only cannot tell the hour.",
            turned(angles=lambda x, positions: positions[:, None].expand(-1, x.shape[-1] // 2).float()),
        ),
        Misconception(
            "model-size-for-head-size",
            "Frequencies for the size of the model",
            "You compute the frequencies with H * d. Rotary encoding works inside a head: the exponent is 2i / d.",
            turned(
                angles=lambda x, positions: positions[:, None] / 10000 ** (torch.arange(0, x.shape[-1], 2) / (x.shape[1] * x.shape[-1]))
            ),
        ),
        Misconception(
            "multiplied-angle",
            "The frequencies grow instead of falling",
            "You multiply the position by 10000^(2i / d) instead of dividing: the last pairs spin so fast that neighbouring positions "
            "look random.",
            turned(angles=lambda x, positions: positions[:, None] * 10000 ** (torch.arange(0, x.shape[-1], 2) / x.shape[-1])),
        ),
        Misconception(
            "positions-from-one",
            "One position too far",
            "You add 1 to the positions. At position 0 nothing should turn.",
            turned(angles=lambda x, positions: (positions[:, None] + 1) * ref.frequencies(x.shape[-1])),
        ),
        Misconception(
            "added-not-turned",
            "Added instead of turned",
            "You add the sinusoidal encoding. Rotary encoding adds nothing: it turns what is there, so that lengths stay as they are.",
            lambda x, positions: x + _encoding_at(x, positions),
        ),
        Misconception(
            "cosine-only",
            "Only the cosine",
            "You multiply by the cosine alone. A rotation also brings in the other coordinate of the pair, times the sine.",
            turned(turn=lambda a, b, cos, sin: (a * cos, b * cos)),
        ),
        Misconception(
            "nothing-turned",
            "Nothing turns",
            "x comes back as it went in.",
            lambda x, positions: x,
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_FREQUENCIES = Choice(
    name="slide_frequencies",
    points=2,
    section="Sines and cosines",
    right="a",
    options={
        "a": Option(
            "The index should run from 0 to d/2 - 1: as printed, the fastest pair, of frequency 1, is missing.",
            "Right. As printed, the first pair has the frequency 10000^(-2/d) and the last one 1/10000: neighbouring positions are "
            "harder to tell apart than they need to be.",
        ),
        "b": Option(
            "The sines should all come first, then the cosines.",
            "Both layouts exist and do the same, as long as everybody keeps to one. That is not the mistake.",
            "layout-is-the-mistake",
        ),
        "c": Option(
            "The position t should be divided by the length of the text first.",
            "Then the distance between neighbours would depend on the length of the text, and 'two words further' would mean something "
            "else in every sentence.",
            "relative-to-the-length",
        ),
        "d": Option(
            "The sine and the cosine of a pair should have different frequencies.",
            "Then they would no longer be the two coordinates of one hand of a clock, and no rotation would lead from t to t + k.",
            "different-speeds",
        ),
    },
)

SLIDE_POSITION_TABLE = Choice(
    name="slide_position_table",
    points=2,
    section="Learned positions",
    right="d",
    options={
        "a": Option(
            "Line 5 alone: the positions are looked up in the word table.",
            "That is one mistake. But mend it alone, and the sum fails: (T, 2000) and (T, 50) do not add. It had been hiding another one.",
            "first-bug-only",
        ),
        "b": Option(
            "Lines 1 and 2 alone: number of rows and size have changed places.",
            "That is one kind of mistake. Mend these alone, and the code runs: but position 5 then gets the vector of word number 5.",
            "second-bug-only",
        ),
        "c": Option(
            "Line 6: the two should be concatenated.",
            "Adding is what most models do, and it is no mistake. Look at what is looked up where.",
            "sum-is-the-mistake",
        ),
        "d": Option(
            "Lines 1, 2 and 5: both tables have rows and size swapped, and the positions are looked up in the word table.",
            "Right. Two kinds of mistake that hide one another: because both look-ups go to the same wrong table, the sizes fit and "
            "the sum runs.",
        ),
    },
)

SLIDE_INSENSITIVE = Choice(
    name="slide_insensitive",
    points=1,
    section="Attention does not see order",
    right="c",
    options={
        "a": Option(
            "Right: the output of self-attention is the same for every order of the words.",
            "The same set of vectors, but in another order: each vector moves along with its word. That is not the same output.",
            "invariant-for-equivariant",
        ),
        "b": Option(
            "Wrong: row t of the scores belongs to word t, so the model knows that it is number t.",
            "The number of a row is not among the things that any formula of the layer uses: permute the words, and the rows are "
            "permuted with them.",
            "rows-know-their-number",
        ),
        "c": Option(
            "Imprecise: when the words are permuted, the outputs are permuted in the same way; only what is pooled over all words "
            "stays the same.",
            "Right: equivariant, not invariant. Each word gets the same vector as before, wherever it stands.",
        ),
        "d": Option(
            "Wrong: the causal or padding masks that attention always uses contain the order.",
            "A causal mask does break the symmetry. But attention does not always have one: an encoder sees all words at once.",
            "mask-always-there",
        ),
    },
)

UNIT = Unit(
    name="06_positional_encoding",
    title="Positions",
    exercises=(SINUSOIDAL, LEARNED, SHIFT, ROTARY, SLIDE_FREQUENCIES, SLIDE_POSITION_TABLE, SLIDE_INSENSITIVE),
)
