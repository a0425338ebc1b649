"""Positions for another image size: `resize_positions(positions, side)`.

(1, n * n + 1, D) -> (1, side * side + 1, D): the grid of places stretched, CLS as it was.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.judging.exercise import Case, Draw, Exercise

BILINEAR = {"mode": "bilinear", "align_corners": False}


def resize_positions(positions: Tensor, side: int) -> Tensor:
    return resized(positions, side)


def resized(
    positions: Tensor,
    side: int,
    to_grid: Callable[[Tensor, int], Tensor] = lambda x, n: x.mT.unflatten(2, (n, n)),
    from_grid: Callable[[Tensor], Tensor] = lambda grid: grid.flatten(2).mT,
    **how: str | bool,
) -> Tensor:
    """The exercise with its three steps as arguments: rows -> (1, D, n, n), stretched, -> rows."""
    cls, places = positions[:, :1], positions[:, 1:]
    grid = to_grid(places, round(places.shape[1] ** 0.5))
    stretched = F.interpolate(grid, (side, side), **(how or BILINEAR))
    return torch.cat([cls, from_grid(stretched)], dim=1)


def cases(draw: Draw) -> list[Case]:
    n, d, m = draw.sizes(3, low=3, high=6)
    by_hand = torch.tensor([[[9.0], [0.0], [4.0], [8.0], [12.0]]])  # CLS, then 0 4 / 8 12
    return [
        Case("2 x 2 places become 4 x 4", args=(by_hand, 4)),
        Case(f"{n} x {n} become {n + 3} x {n + 3}", args=(draw.normal(1, n * n + 1, d), n + 3)),
        Case(f"{m} x {m} become {2 * m} x {2 * m}", args=(draw.normal(1, m * m + 1, n), 2 * m)),
        Case("smaller", args=(draw.normal(1, 37, d), 4)),
        Case("gradients", args=(draw.normal(1, n * n + 1, m), n + 1), gradients=True),
        Case("the same size", args=(draw.normal(1, m * m + 1, d), m), group="edge"),
        Case("one place", args=(draw.normal(1, 2, d), 3), group="edge"),
        Case("to one place", args=(draw.normal(1, n * n + 1, d), 1), group="edge"),
    ]


EXERCISE = Exercise(
    name="resize_positions",
    points=3,
    section="Do positions matter?",
    reference=resize_positions,
    returns=("positions (1, side² + 1, D)",),
    cases=cases,
)


@EXERCISE.misconception(
    "stretched-as-a-line",
    "Stretched along a line, not over a grid",
    "You interpolate the list of places as if they stood in one line. Then the end of a row is "
    "mixed with the beginning of the next, at the other edge of the image. Make a grid of them "
    "first: rows and columns.",
)
def as_a_line(positions: Tensor, side: int) -> Tensor:
    line = positions[:, 1:].mT  # (1, D, N)
    stretched = F.interpolate(line, side * side, mode="linear", align_corners=False)
    return torch.cat([positions[:, :1], stretched.mT], dim=1)


@EXERCISE.misconception(
    "stretched-as-a-line",
    "CLS is stretched along with the places",
    "You interpolate all rows, CLS among them, along one line. CLS has no place in the image: it "
    "keeps its row, and only the others are stretched, as a grid.",
)
def all_in_a_line(positions: Tensor, side: int) -> Tensor:
    stretched = F.interpolate(positions.mT, side * side + 1, mode="linear", align_corners=False)
    return stretched.mT


EXERCISE.misconception(
    "features-torn",
    "Places and features are mixed up",
    "You reshape (N, D) into (D, n, n) without moving the axis of the features. The shape is "
    "right, but a place is now made of pieces of other places. First move the axis, then make the "
    "grid.",
    lambda positions, side: resized(
        positions, side, to_grid=lambda x, n: x.reshape(1, x.shape[2], n, n)
    ),
    lambda positions, side: resized(
        positions,
        side,
        to_grid=lambda x, n: x.reshape(1, x.shape[2], n, n),
        from_grid=lambda grid: grid.reshape(1, -1, grid.shape[1]),
    ),
)

EXERCISE.misconception(
    "torn-on-the-way-back",
    "Mixed up on the way back",
    "The stretched grid is (1, D, side, side). A reshape to (1, side², D) cuts it in the wrong "
    "direction: move the features to the end first.",
    lambda positions, side: resized(
        positions, side, from_grid=lambda grid: grid.reshape(1, -1, grid.shape[1])
    ),
)

EXERCISE.misconception(
    "corners-aligned",
    "The corners are aligned",
    "You stretch the grid so that its corners stay where they were (`align_corners=True`). Places "
    "are the middles of patches, and the middle of a corner patch moves when patches get smaller.",
    lambda positions, side: resized(positions, side, mode="bilinear", align_corners=True),
)

EXERCISE.misconception(
    "nearest-place",
    "The nearest place instead of a mixture",
    "You copy the nearest place, so that neighbouring patches get the same position and cannot be "
    "told apart. Asked for is a mixture of the four places around: bilinear.",
    lambda positions, side: resized(positions, side, mode="nearest"),
)

EXERCISE.misconception(
    "bicubic",
    "Bicubic instead of bilinear",
    "You interpolate with mode bicubic. Many models do; asked for here is bilinear.",
    lambda positions, side: resized(positions, side, mode="bicubic", align_corners=False),
)

EXERCISE.misconception(
    "cls-lost",
    "CLS is missing",
    "Your result has only the places. The first row belongs to CLS and stays in front.",
    lambda positions, side: resize_positions(positions, side)[:, 1:],
)

EXERCISE.misconception(
    "cls-at-the-end",
    "CLS stands at the end",
    "You put the row of CLS after the places. It comes first.",
    lambda positions, side: resize_positions(positions, side).roll(-1, dims=1),
)


@EXERCISE.misconception(
    "rows-and-columns-swapped",
    "Rows and columns are exchanged",
    "Your places go down the columns. Patches are numbered row by row.",
)
def transposed(positions: Tensor, side: int) -> Tensor:
    return resized(positions, side, from_grid=lambda grid: grid.mT.flatten(2).mT)
