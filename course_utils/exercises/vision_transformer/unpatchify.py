"""Put it together again: `unpatchify(patches, patch, height, width)`.

(B, N, C * patch * patch) -> (B, C, H, W).
"""

import ast
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import vision_transformer as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    batch, channels, rows, columns, patch = draw.sizes(5, low=2, high=6)

    def case(
        label: str, height: int, width: int, size: int, depth: int = channels, **options: Any
    ) -> Case:
        patches = draw.normal(batch, (height // size) * (width // size), depth * size * size)
        return Case(label, args=(patches, size, height, width), **options)

    example = ref.patchify(torch.arange(24.0).view(1, 1, 4, 6), 2), 2, 4, 6
    return [
        Case("4 x 6 pixels, patches of 2", args=example),
        case(
            f"{rows} x {columns} patches of {patch} x {patch}", rows * patch, columns * patch, patch
        ),
        case(
            "more rows than columns, or the other way round", columns * patch, rows * patch, patch
        ),
        case("a square image", columns * patch, columns * patch, patch),
        case(f"a small image, patches of {rows}", 2 * rows, 3 * rows, rows, depth=1),
        case("values and gradients", rows * patch, columns * patch, patch, gradients=True),
        case("patches of one pixel", rows, columns, 1, group="edge"),
        case("one patch is the whole image", patch, patch, patch, group="edge"),
    ]


EXERCISE = Exercise(
    name="unpatchify",
    points=3,
    section="Cutting the image",
    reference=ref.unpatchify,
    returns=("images (B, C, H, W)",),
    cases=cases,
)

EXERCISE.misconception(
    "reshape-tears-the-image",
    "The shape is right, the contents are not",
    "You reshape the patches straight to (B, C, H, W). The numbers stay in the order of the "
    "patches, so the first row of your image is filled with several rows of the first patch. Walk "
    "the steps of `patchify` backwards, one by one.",
    lambda patches, patch, height, width: patches.reshape(len(patches), -1, height, width),
    syntax=lambda tree: (
        not syntax.uses(tree, "permute", "transpose", "movedim", "swapaxes", "einsum")
    ),
)


def from_grid(*axes: int) -> Callable[[Tensor, int, int, int], Tensor]:
    """unpatchify with another order of the axes (B, rows, columns, C, p, p)."""

    def variant(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
        grid = patches.reshape(len(patches), height // patch, width // patch, -1, patch, patch)
        return grid.permute(*axes).reshape(len(patches), -1, height, width)

    return variant


EXERCISE.misconception(
    "not-permuted",
    "Unfolded, but not put back in order",
    "You give the numbers six axes and then flatten them in the order in which they lie. In the "
    "image, a row of pixels runs through all the patches of one row: which axes must stand side "
    "by side before height and width are glued together?",
    from_grid(0, 1, 2, 3, 4, 5),
)

EXERCISE.misconception(
    "same-permutation-twice",
    "The permutation is not undone, it is done again",
    "You permute with the same numbers as in `patchify`. The inverse of a permutation is another "
    "one: write the names of the six axes under your tensor and ask where each has to go.",
    from_grid(0, 2, 4, 1, 3, 5),
)

EXERCISE.misconception(
    "rows-not-interleaved",
    "Only the channels have been moved",
    "You take the channels out and leave the rest as it was: rows of patches, columns of patches, "
    "rows inside, columns inside. A row of pixels runs through *all* patches of its row: the row "
    "inside a patch must come before the column of patches.",
    from_grid(0, 3, 1, 2, 4, 5),
)

EXERCISE.misconception(
    "patches-transposed",
    "Every patch lies on its side",
    "The patches are in their places, but inside each of them rows and columns are swapped.",
    from_grid(0, 3, 1, 5, 2, 4),
)


@EXERCISE.misconception(
    "column-by-column",
    "The patches are put back column by column",
    "You fill the grid of patches column after column. `patchify` read them row by row.",
)
def grid_swapped(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), width // patch, height // patch, -1, patch, patch)
    return grid.permute(0, 3, 2, 4, 1, 5).reshape(len(patches), -1, height, width)


@EXERCISE.misconception(
    "column-by-column",
    "Rows and columns of patches are confused",
    "You cut N into (columns, rows). The rows of patches are the slow axis: they come first.",
)
def grid_swapped_flat(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), width // patch, height // patch, -1, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), -1, height, width)


@EXERCISE.misconception(
    "height-and-width-swapped",
    "Height and width are swapped",
    "Your image is as wide as it should be high. Height comes before width, in the arguments and "
    "in the result.",
)
def swapped_sides(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    return ref.unpatchify(patches, patch, width, height)


SIZES = ("reshape", "view", "unflatten", "zeros", "empty", "new_zeros", "new_empty", "rearrange")


def takes_for_granted(tree: ast.AST, channels: int) -> bool:
    """Does this number stand where a size is given, or is it assigned to a name?"""
    places = [part for name in SIZES for part in syntax.calls(tree, name)]
    places += [node.value for node in ast.walk(tree) if isinstance(node, ast.Assign)]  # type: ignore[misc]
    sizes = [
        item
        for place in places
        for part in (
            [*place.args, *(k.value for k in place.keywords)]
            if isinstance(place, ast.Call)
            else [place]
        )
        for item in (part.elts if isinstance(part, ast.Tuple | ast.List) else [part])
    ]
    return any(isinstance(size, ast.Constant) and size.value == channels for size in sizes)


@EXERCISE.misconception(
    "three-channels",
    "Always three channels",
    "You take it for granted that there are 3 channels. Their number follows from the length of a "
    "patch: C * patch * patch.",
    syntax=lambda tree: takes_for_granted(tree, 3),
)
def three_channels(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), height // patch, width // patch, 3, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), 3, height, width)


@EXERCISE.misconception(
    "one-channel",
    "Always one channel",
    "You take it for granted that there is one channel. Their number follows from the length of a "
    "patch: C * patch * patch.",
    syntax=lambda tree: takes_for_granted(tree, 1),
)
def one_channel(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), height // patch, width // patch, 1, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), 1, height, width)


@EXERCISE.misconception(
    "square-only",
    "Only square images",
    "You take the root of N for the number of rows and of columns. They differ unless the image "
    "is a square: `height` and `width` tell them.",
)
def square_unpatchify(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    side = int(patches.shape[1] ** 0.5)
    grid = patches.reshape(len(patches), side, side, patches.shape[-1] // patch**2, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), -1, height, width)


@EXERCISE.misconception(
    "fold-not-transposed",
    "`fold` wants patches as columns",
    "You hand (B, N, C * patch * patch) to `fold`, which wants (B, C * patch * patch, N).",
    syntax=lambda tree: syntax.uses(tree, "fold", "Fold"),
)
def folded_untransposed(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    return F.fold(patches, (height, width), patch, stride=patch)


@EXERCISE.misconception(
    "channel-last-in-patch",
    "The channel is looked for at the end of a patch",
    "You read a patch as row, column, channel. `patchify` wrote it as channel, row, column.",
)
def channels_last_grid(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), height // patch, width // patch, patch, patch, -1)
    return grid.permute(0, 5, 1, 3, 2, 4).reshape(len(patches), -1, height, width)


@EXERCISE.misconception(
    "channels-before-the-grid",
    "The channels are put before the patches",
    "You give the numbers the axes (B, C, rows, columns, p, p). But the slowest axis of `patches` "
    "is the number of the patch, and each patch holds all of its channels: with you, colours of "
    "one place end up in different places. First the grid, then what is in a patch; then permute.",
)
def channels_before_grid(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), -1, height // patch, width // patch, patch, patch)
    return grid.transpose(3, 4).reshape(len(patches), -1, height, width)


EXERCISE.misconception(
    "channels-last",
    "The channel is the last axis of the result",
    "Your image is (B, H, W, C), as matplotlib wants it. The text asks for PyTorch's (B, C, H, W).",
    lambda patches, patch, height, width: ref.unpatchify(patches, patch, height, width).permute(
        0, 2, 3, 1
    ),
)
