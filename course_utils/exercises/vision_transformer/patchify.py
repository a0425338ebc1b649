"""Cut an image into patches: `patchify(images, patch)`.

(B, C, H, W) -> (B, N, C * patch * patch).
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import vision_transformer as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise

from ._cuts import checked_by, cropped, gathered, in_order, sampled, unchecked
from ._shared import checked, plain_reshape, tiles


def cases(draw: Draw) -> list[Case]:
    batch, channels, rows, columns, patch = draw.sizes(5, low=2, high=6)

    def images(height: int, width: int) -> Tensor:
        return draw.normal(batch, channels, height, width)

    def refused(label: str, height: int, width: int, patch: int = patch) -> Case:
        return Case(label, (images(height, width), patch), group="edge", raises=ValueError)

    example = torch.arange(24.0).view(1, 1, 4, 6)
    high, wide = rows * patch, columns * patch
    pixels = "the height is not a multiple, but there are pixels for whole patches"
    return [
        Case("the example of the text: 4 x 6 pixels, patches of 2", (example, 2)),
        Case(
            f"{rows} x {columns} patches of {patch} x {patch}, {channels} channels",
            (images(high, wide), patch),
        ),
        Case("a square image", (images(wide, wide), patch)),
        Case(
            f"a small image, patches of {rows}", (draw.normal(batch, 1, 2 * rows, 3 * rows), rows)
        ),
        Case("values and gradients", (images(wide, high), patch), gradients=True),
        Case("patches of one pixel", (images(rows, columns), 1), group="edge"),
        Case("the whole image is one patch", (images(patch, patch), patch), group="edge"),
        refused("the height is not a multiple", high + 1, wide),
        refused("the width is not a multiple", high, wide - 1),
        refused("one row too few", high - 1, wide),
        refused("one column too many", high, wide + 1),
        refused(
            "neither is a multiple, but their sum and product are", 4 * rows + 2, 4 * columns + 2, 4
        ),
        refused(pixels, 4 * rows + 2, 8, 4),
        refused("the image is smaller than a patch", patch - 1, patch),
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
        checked(images, patch).reshape(*images.shape[:2], -1, patch**2).transpose(1, 2).flatten(2)
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
        sum(len(syntax.calls(tree, name)) for name in ("reshape", "view", "flatten")) > 1
    ),
)

EXERCISE.misconception(
    "column-by-column",
    "The patches are read column by column",
    "Your patches are right, but they come column after column. The text asks for the order in "
    "which one reads: the first row of patches from left to right, then the second.",
    in_order(0, 4, 2, 1, 3, 5),
)

EXERCISE.misconception(
    "pixels-transposed",
    "Every patch lies on its side",
    "Inside a patch you put the columns before the rows, so every patch is transposed. The text "
    "asks for channel, row, column.",
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

EXERCISE.misconception(
    "strided-sampling",
    "Every n-th pixel instead of neighbours",
    "You cut the height into (patch, H / patch) instead of (H / patch, patch). The slow axis "
    "comes first: your patches collect pixels that lie H / patch apart, each one a tiny copy of "
    "the whole image.",
    lambda images, patch: sampled(images, patch).permute(0, 3, 5, 1, 2, 4).flatten(3).flatten(1, 2),
)

EXERCISE.misconception(
    "strided-sampling",
    "Rows of patches and rows inside a patch are mixed up",
    "You cut the height into (patch, H / patch) instead of (H / patch, patch): the first factor "
    "is the slow one. What you call the inside of a patch are pixels that lie H / patch apart.",
    lambda images, patch: (
        sampled(images, patch)
        .permute(0, 2, 4, 1, 3, 5)
        .reshape(len(images), -1, images.shape[1] * patch * patch)
    ),
)

EXERCISE.misconception(
    "unfold-not-transposed",
    "Patches as columns",
    "Your result is (B, C * patch * patch, N): that is how `unfold` lays patches out. Here a "
    "patch is a row, as a token is everywhere in this course.",
    lambda images, patch: F.unfold(checked(images, patch), patch, stride=patch),
)

EXERCISE.misconception(
    "overlapping",
    "The patches overlap",
    "Your window moves by one pixel, so neighbouring patches share most of their pixels. It "
    "should move by a whole patch: which argument says how far?",
    lambda images, patch: F.unfold(checked(images, patch), patch).mT,
)

EXERCISE.misconception(
    "channels-last",
    "The channel is taken for the last axis",
    "You read the shape as (B, H, W, C), as image files and TensorFlow have it. In PyTorch images "
    "are (B, C, H, W).",
    lambda images, patch: gathered(tiles(images.permute(0, 3, 1, 2), patch)),
)


@EXERCISE.misconception(
    "square-only",
    "Only square images",
    "You count the patches of one side and take the other side for the same. Height and width may "
    "differ: count both.",
)
def square_only(images: Tensor, patch: int) -> Tensor:
    batch, channels, rows = tiles(images, patch).shape[:3]
    return gathered(images.reshape(batch, channels, rows, patch, rows, patch))


EXERCISE.misconception(
    "crops-silently",
    "The rest of the image is dropped",
    "Where the patches do not fit you cut off what is left over, without a word. The text asks for "
    "a ValueError: better a loud error than an image that has lost its right edge.",
    cropped,
    lambda images, patch: F.unfold(images, patch, stride=patch).mT,
)

EXERCISE.misconception(
    "unchecked",
    "The error is not the one that was asked for",
    "Where the patches do not fit, you let `reshape` fail by itself. The text asks for a "
    "ValueError, which says what is wrong with the arguments.",
    unchecked,
)

EXERCISE.misconception(
    "checks-one-side",
    "Only the height is checked",
    "You raise a ValueError if the patch does not divide the height. The width can be wrong just "
    "as well.",
    checked_by(lambda height, width, patch: height % patch, unchecked),
)

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


EXERCISE.misconception(
    "not-flattened",
    "A patch is still a little image",
    "Your result is (B, N, C, patch, patch). Flatten each patch into one row of numbers: the "
    "linear layer that follows wants a vector.",
    lambda images, patch: tiles(images, patch).permute(0, 2, 4, 1, 3, 5).flatten(1, 2),
)

EXERCISE.misconception(
    "grid-kept",
    "The patches still lie in a grid",
    "Your result has an axis for the rows and one for the columns of patches. To the Transformer "
    "they are one sequence: (B, N, …).",
    lambda images, patch: tiles(images, patch).permute(0, 2, 4, 1, 3, 5).flatten(3),
)
