"""A step in time is a rotation: `shift_matrix(offset, dim)`.

-> (D, D) matrix M with M @ p(t) = p(t + offset) for every t.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils import positional_encoding as ref
from course_utils.judging.exercise import Case, Draw, Exercise, Outcome, Property
from course_utils.judging.pictures import weights_picture
from course_utils.judging.promises import even


def cases(draw: Draw) -> list[Case]:
    a, b, c = draw.sizes(3, low=2, high=6)
    return [
        Case("one step on, one pair", args=(1, 2)),
        Case(f"{a} steps on, {2 * b} columns", args=(a, 2 * b)),
        Case(f"{b + 7} steps on, {2 * c} columns", args=(b + 7, 2 * c)),
        Case("one step on", args=(1, 2 * c)),
        Case("back", args=(-a, 2 * b), group="edge"),
        Case("no step", args=(0, 2 * a), group="edge"),
        Case("one pair", args=(c, 2), group="edge"),
    ]


def moves_every_position(case: Case, got: Outcome) -> str | None:
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


EXERCISE = Exercise(
    name="shift_matrix",
    points=4,
    section="Relative position is a rotation",
    reference=ref.shift_matrix,
    returns=("matrix (D, D)",),
    cases=cases,
    promised=even(lambda case: int(case.args[1])),
    properties=(Property("M @ p(t) = p(t + offset) for every t", moves_every_position),),
    picture=weights_picture(0, "rows", "columns"),
)


def matrix_of(
    angles: Callable[[float, int], Tensor] = lambda offset, dim: offset * ref.frequencies(dim),
    signs: tuple[int, int] = (1, -1),
    halves: bool = False,
) -> Callable[[float, int], Tensor]:
    """The matrix with other angles, other signs of the sines (upper right, lower left), or for
    halves instead of pairs."""

    def make(offset: float, dim: int) -> Tensor:
        turn = angles(offset, dim)
        matrix, pairs = torch.zeros(dim, dim), torch.arange(dim // 2)
        first, second = (pairs, pairs + dim // 2) if halves else (2 * pairs, 2 * pairs + 1)
        matrix[first, first] = matrix[second, second] = turn.cos()
        matrix[first, second], matrix[second, first] = signs[0] * turn.sin(), signs[1] * turn.sin()
        return matrix

    return make


EXERCISE.misconception(
    "backwards",
    "It leads back instead of forward",
    "Your matrix leads from p(t) to p(t - offset). The rotation that stands in most textbooks is "
    "for the vector (cos, sin); here the sine comes first. Write down sin(a + b) and cos(a + b) "
    "and read the coefficients off, row by row.",
    matrix_of(signs=(-1, 1)),
)

EXERCISE.misconception(
    "not-a-rotation",
    "Both signs are the same",
    "Your two sines have the same sign, so the matrix does not rotate: it changes lengths. One of "
    "the two addition theorems has a minus.",
    matrix_of(signs=(1, 1)),
)

EXERCISE.misconception(
    "both-negative",
    "Both signs are the same",
    "Both of your sines are negative, so the matrix does not rotate: it changes lengths. Only one "
    "of the two addition theorems has a minus.",
    matrix_of(signs=(-1, -1)),
)

EXERCISE.misconception(
    "halves",
    "Made for another layout",
    "Your matrix belongs to an encoding with all sines first, then all cosines. Here the partners "
    "stand side by side: columns 2i and 2i + 1.",
    matrix_of(halves=True),
)

EXERCISE.misconception(
    "one-angle",
    "All pairs turn by the same angle",
    "You turn every pair by the same angle. Each pair has its own frequency, and so its own angle "
    "for the same offset.",
    matrix_of(angles=lambda offset, dim: torch.full((dim // 2,), float(offset))),
)

EXERCISE.misconception(
    "pair-index-for-2i",
    "The exponent is half what it should be",
    "Your angles use 10000^(i / D) where the encoding has 10000^(2i / D), i being the number of "
    "the pair.",
    matrix_of(angles=lambda offset, dim: offset / 10000 ** (torch.arange(dim // 2) / dim)),
)

EXERCISE.misconception(
    "index-from-one",
    "The pairs are counted from 1",
    "Your first pair turns with the frequency of the second. Counted from 0, the first frequency "
    "is 1.",
    matrix_of(
        angles=lambda offset, dim: offset / 10000 ** (2 * torch.arange(1, dim // 2 + 1) / dim)
    ),
)

EXERCISE.misconception(
    "diagonal-only",
    "The sines are missing",
    "Your matrix is diagonal: it stretches sine and cosine one by one. sin(a + b) needs the "
    "cosine of a as well.",
    matrix_of(signs=(0, 0)),
)

EXERCISE.misconception(
    "features-moved",
    "The features are moved, not the position",
    "Your matrix shifts the entries of the vector along. Moving on in time turns each pair by its "
    "angle; nothing changes its column.",
    lambda offset, dim: torch.eye(dim).roll(offset, 0),
)


@EXERCISE.misconception(
    "one-position-only",
    "Right for one position only",
    "Your matrix takes p(0) to p(offset), and fails for every other t. One matrix must do for all "
    "of them: it may depend on the offset, not on t.",
)
def for_one_position(offset: int, dim: int) -> Tensor:
    def at(t: int) -> Tensor:
        return torch.stack(
            [(t * ref.frequencies(dim)).sin(), (t * ref.frequencies(dim)).cos()], -1
        ).flatten()

    return torch.outer(at(offset), at(0)) / at(0).dot(at(0))


EXERCISE.misconception(
    "identity",
    "Nothing moves",
    "Your matrix is the identity whatever the offset.",
    lambda offset, dim: torch.eye(dim),
)

EXERCISE.misconception(
    "rows-for-pairs",
    "The rotations are not put together",
    "You return one rotation per pair, (D / 2, 2, 2). The text asks for one (D, D) matrix with "
    "these "
    "along its diagonal.",
    lambda offset, dim: (
        ref.shift_matrix(offset, dim)
        .view(dim // 2, 2, dim // 2, 2)
        .diagonal(dim1=0, dim2=2)
        .permute(2, 0, 1)
    ),
)
