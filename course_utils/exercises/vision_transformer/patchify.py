"""Cut an image into patches: `patchify(images, patch)`.

(B, C, H, W) -> (B, N, C * patch * patch).
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import vision_transformer as ref
from course_utils.exercises.vision_transformer._shared import plain_reshape, tiles
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    batch, channels, rows, columns, patch = draw.sizes(5, low=2, high=6)

    def images(height: int, width: int) -> Tensor:
        return draw.normal(batch, channels, height, width)

    example = torch.arange(24.0).view(1, 1, 4, 6)
    return [
        Case("the example of the text: 4 x 6 pixels, patches of 2", args=(example, 2)),
        Case(
            f"{rows} x {columns} patches of {patch} x {patch}, {channels} channels",
            args=(images(rows * patch, columns * patch), patch),
        ),
        Case("a square image", args=(images(columns * patch, columns * patch), patch)),
        Case(
            f"a small image, patches of {rows}",
            args=(draw.normal(batch, 1, 2 * rows, 3 * rows), rows),
        ),
        Case(
            "values and gradients",
            args=(images(columns * patch, rows * patch), patch),
            gradients=True,
        ),
        Case("patches of one pixel", args=(images(rows, columns), 1), group="edge"),
        Case("the whole image is one patch", args=(images(patch, patch), patch), group="edge"),
        Case(
            "the height is not a multiple",
            args=(images(rows * patch + 1, columns * patch), patch),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "the width is not a multiple",
            args=(images(rows * patch, columns * patch - 1), patch),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "one row too few",
            args=(images(rows * patch - 1, columns * patch), patch),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "one column too many",
            args=(images(rows * patch, columns * patch + 1), patch),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "neither is a multiple, but their sum and product are",
            args=(images(4 * rows + 2, 4 * columns + 2), 4),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "the height is not a multiple, but there are pixels for whole patches",
            args=(images(4 * rows + 2, 8), 4),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "the image is smaller than a patch",
            args=(images(patch - 1, patch), patch),
            group="edge",
            raises=ValueError,
        ),
    ]


EXERCISE = Exercise(
    name="patchify",
    points=4,
    section="Cutting the image",
    reference=ref.patchify,
    returns=("patches (B, N, C * patch * patch)",),
    cases=cases,
)

EXERCISE.misconception(
    "reshape-tears-the-image",
    "The shape is right, the contents are not",
    "You reshape (B, C, H, W) to the asked shape in one go. `reshape` never moves a number: your "
    "first patch is the first few whole rows of the first channel. A patch has to collect pieces "
    "of several rows, and that takes a change of the order of axes.",
    plain_reshape,
)

EXERCISE.misconception(
    "reshape-tears-the-image",
    "The shape is right, the contents are not",
    "You cut each channel into pieces by `reshape`. It never moves a number: a piece is a stretch "
    "of whole pixel rows, not a square. A patch has to collect pieces of several rows, and that "
    "takes a change of the order of axes.",
    lambda images, patch: (
        plain_reshape(images[:, :1], patch)  # for its check
        if images.shape[-2] % patch or images.shape[-1] % patch
        else images.flatten(2).unflatten(2, (-1, patch * patch)).transpose(1, 2).flatten(2)
    ),
)

EXERCISE.misconception(
    "not-permuted",
    "Cut, but not put in order",
    "You cut height and width in two, and then glue the pieces together in the order in which "
    "they lie. Rows of patches, rows inside a patch, columns of patches, columns inside: which of "
    "these must stand together before they may be flattened?",
    lambda images, patch: tiles(images, patch).reshape(
        len(images), -1, images.shape[1] * patch * patch
    ),
    syntax=lambda tree: (
        len(syntax.calls(tree, "reshape"))
        + len(syntax.calls(tree, "view"))
        + len(syntax.calls(tree, "flatten"))
        > 1
    ),
)


def in_order(*axes: int) -> Callable[[Tensor, int], Tensor]:
    """patchify with another order of the axes (B, C, rows, p, columns, p)."""

    def variant(images: Tensor, patch: int) -> Tensor:
        return tiles(images, patch).permute(*axes).flatten(3).flatten(1, 2)

    return variant


EXERCISE.misconception(
    "column-by-column",
    "The patches are read column by column",
    "Your patches are right, but they come column after column. The text asks for the order in "
    "which "
    "one reads: the first row of patches from left to right, then the second.",
    in_order(0, 4, 2, 1, 3, 5),
)

EXERCISE.misconception(
    "pixels-transposed",
    "Every patch lies on its side",
    "Inside a patch you put the columns before the rows, so every patch is transposed. The text "
    "asks "
    "for channel, row, column.",
    in_order(0, 2, 4, 1, 5, 3),
)

EXERCISE.misconception(
    "channel-last-in-patch",
    "The channel comes last inside a patch",
    "Inside a patch you have row, column, channel. A linear layer could learn from that just as "
    "well, but the text fixes the order channel, row, column, so that weights can be exchanged "
    "with a convolution.",
    in_order(0, 2, 4, 3, 5, 1),
)


@EXERCISE.misconception(
    "strided-sampling",
    "Every n-th pixel instead of neighbours",
    "You cut the height into (patch, H / patch) instead of (H / patch, patch). The slow axis "
    "comes first: your patches collect pixels that lie H / patch apart, each one a tiny copy of "
    "the whole image.",
)
def strided(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    batch, channels, height, width = images.shape
    # The two factors in the wrong order
    grid = images.reshape(batch, channels, patch, height // patch, patch, width // patch)
    return grid.permute(0, 3, 5, 1, 2, 4).flatten(3).flatten(1, 2)


@EXERCISE.misconception(
    "strided-sampling",
    "Rows of patches and rows inside a patch are mixed up",
    "You cut the height into (patch, H / patch) instead of (H / patch, patch): the first factor "
    "is the slow one. What you call the inside of a patch are pixels that lie H / patch apart.",
)
def strided_groups(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    batch, channels, height, width = images.shape
    grid = images.reshape(batch, channels, patch, height // patch, patch, width // patch)
    return grid.permute(0, 2, 4, 1, 3, 5).reshape(batch, -1, channels * patch * patch)


@EXERCISE.misconception(
    "unfold-not-transposed",
    "Patches as columns",
    "Your result is (B, C * patch * patch, N): that is how `unfold` lays patches out. Here a "
    "patch is a row, as a token is everywhere in this course.",
)
def unfold_untransposed(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    return F.unfold(images, patch, stride=patch)


@EXERCISE.misconception(
    "overlapping",
    "The patches overlap",
    "Your window moves by one pixel, so neighbouring patches share most of their pixels. It "
    "should move by a whole patch: which argument says how far?",
)
def overlapping(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    return F.unfold(images, patch).mT


@EXERCISE.misconception(
    "channels-last",
    "The channel is taken for the last axis",
    "You read the shape as (B, H, W, C), as image files and TensorFlow have it. In PyTorch images "
    "are (B, C, H, W).",
)
def channels_last(images: Tensor, patch: int) -> Tensor:
    batch, height, width, channels = images.shape
    if height % patch or width % patch:
        raise ValueError("not divisible")
    grid = images.reshape(batch, height // patch, patch, width // patch, patch, channels)
    return grid.permute(0, 1, 3, 5, 2, 4).flatten(3).flatten(1, 2)


@EXERCISE.misconception(
    "square-only",
    "Only square images",
    "You count the patches of one side and take the other side for the same. Height and width may "
    "differ: count both.",
)
def square_only(images: Tensor, patch: int) -> Tensor:
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("not divisible")
    side = height // patch
    grid = images.reshape(batch, channels, side, patch, side, patch)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


crops = EXERCISE.misconception(
    "crops-silently",
    "The rest of the image is dropped",
    "Where the patches do not fit you cut off what is left over, without a word. The text asks "
    "for a "
    "ValueError: better a loud error than an image that has lost its right edge.",
)


@crops
def cropped(images: Tensor, patch: int) -> Tensor:
    height, width = (size - size % patch for size in images.shape[-2:])
    return ref.patchify(images[..., :height, :width], patch)


@crops
def unfolded(images: Tensor, patch: int) -> Tensor:
    return F.unfold(images, patch, stride=patch).mT


def unchecked(images: Tensor, patch: int) -> Tensor:
    batch, channels, height, width = images.shape
    grid = images.reshape(batch, channels, height // patch, patch, width // patch, patch)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


EXERCISE.misconception(
    "unchecked",
    "The error is not the one that was asked for",
    "Where the patches do not fit, you let `reshape` fail by itself. The text asks for a "
    "ValueError, "
    "which says what is wrong with the arguments.",
    unchecked,
)


@EXERCISE.misconception(
    "checks-one-side",
    "Only the height is checked",
    "You raise a ValueError if the patch does not divide the height. The width can be wrong just "
    "as well.",
)
def checks_height_only(images: Tensor, patch: int) -> Tensor:
    if images.shape[-2] % patch:
        raise ValueError("not divisible")
    return unchecked(images, patch)


def checked_by(
    fails: Callable[[int, int, int], int], otherwise: Callable[[Tensor, int], Tensor]
) -> Callable[[Tensor, int], Tensor]:
    """patchify with another check, and what happens to an image that slips through."""

    def variant(images: Tensor, patch: int) -> Tensor:
        height, width = images.shape[-2:]
        if fails(height, width, patch):
            raise ValueError("not divisible")
        return otherwise(images, patch)

    return variant


EXERCISE.misconception(
    "checks-both-at-once",
    "One check for both sides is not enough",
    "You test the sum or the product of height and width. Both can be multiples of the patch while "
    "neither side is: test each side by itself.",
    *[
        checked_by(fails, otherwise)
        for fails in (
            lambda height, width, patch: (height + width) % patch,
            lambda height, width, patch: (height * width) % patch,
            lambda height, width, patch: (height * width) % patch**2,
        )
        for otherwise in (unchecked, cropped)
    ],
)


@EXERCISE.misconception(
    "assert-for-raise",
    "An assert is not a ValueError",
    "`assert` raises AssertionError, and disappears when Python runs with -O. Input from outside "
    "is checked with `if …: raise ValueError(…)`.",
)
def asserted(images: Tensor, patch: int) -> Tensor:
    assert images.shape[-2] % patch == 0
    assert images.shape[-1] % patch == 0
    return ref.patchify(images, patch)


@EXERCISE.misconception(
    "not-flattened",
    "A patch is still a little image",
    "Your result is (B, N, C, patch, patch). Flatten each patch into one row of numbers: the "
    "linear layer that follows wants a vector.",
)
def not_flattened(images: Tensor, patch: int) -> Tensor:
    return tiles(images, patch).permute(0, 2, 4, 1, 3, 5).flatten(1, 2)


EXERCISE.misconception(
    "grid-kept",
    "The patches still lie in a grid",
    "Your result has an axis for the rows and one for the columns of patches. To the Transformer "
    "they are one sequence: (B, N, …).",
    lambda images, patch: tiles(images, patch).permute(0, 2, 4, 1, 3, 5).flatten(3),
)
