"""Unit 09: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import syntax
from course_utils import vision_transformer as ref
from course_utils.exercise import Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Unit
from course_utils.pictures import weights_picture
from course_utils.properties import rows_sum_to_one

# patchify ------------------------------------------------------------------------------------------------------------


def patchify_cases(draw: Draw) -> list[Case]:
    batch, channels, rows, columns, patch = draw.sizes(5, low=2, high=6)

    def images(height: int, width: int) -> Tensor:
        return draw.normal(batch, channels, height, width)

    return [
        Case(f"{rows} x {columns} patches of {patch} x {patch}, {channels} channels", args=(images(rows * patch, columns * patch), patch)),
        Case("a square image", args=(images(columns * patch, columns * patch), patch)),
        Case(f"a small image, patches of {rows}", args=(draw.normal(batch, 1, 2 * rows, 3 * rows), rows)),
        Case("gradients arrive", args=(images(columns * patch, rows * patch), patch), gradients=True),
        Case("patches of one pixel", args=(images(rows, columns), 1), group="edge"),
        Case("the whole image is one patch", args=(images(patch, patch), patch), group="edge"),
        Case("the height is not a multiple", args=(images(rows * patch + 1, columns * patch), patch), group="edge", raises=ValueError),
        Case("the width is not a multiple", args=(images(rows * patch, columns * patch - 1), patch), group="edge", raises=ValueError),
    ]


def tiles(images: Tensor, patch: int) -> Tensor:
    """(B, C, rows, p, columns, p), after the check that the exercise asks for."""
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("not divisible")
    return images.reshape(batch, channels, height // patch, patch, width // patch, patch)


def in_order(*axes: int) -> Callable[[Tensor, int], Tensor]:
    """patchify with another order of the axes (B, C, rows, p, columns, p)."""

    def variant(images: Tensor, patch: int) -> Tensor:
        return tiles(images, patch).permute(*axes).flatten(3).flatten(1, 2)

    return variant


def _plain_reshape(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    batch, channels, height, width = images.shape
    return images.reshape(batch, (height // patch) * (width // patch), channels * patch * patch)


def _strided(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    batch, channels, height, width = images.shape
    grid = images.reshape(batch, channels, patch, height // patch, patch, width // patch)  # the two factors in the wrong order
    return grid.permute(0, 3, 5, 1, 2, 4).flatten(3).flatten(1, 2)


def _strided_groups(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    batch, channels, height, width = images.shape
    grid = images.reshape(batch, channels, patch, height // patch, patch, width // patch)
    return grid.permute(0, 2, 4, 1, 3, 5).reshape(batch, -1, channels * patch * patch)


def _unfold_untransposed(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    return F.unfold(images, patch, stride=patch)


def _overlapping(images: Tensor, patch: int) -> Tensor:
    tiles(images, patch)
    return F.unfold(images, patch).mT


def _channels_last(images: Tensor, patch: int) -> Tensor:
    batch, height, width, channels = images.shape
    if height % patch or width % patch:
        raise ValueError("not divisible")
    grid = images.reshape(batch, height // patch, patch, width // patch, patch, channels)
    return grid.permute(0, 1, 3, 5, 2, 4).flatten(3).flatten(1, 2)


def _square_only(images: Tensor, patch: int) -> Tensor:
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("not divisible")
    side = height // patch
    grid = images.reshape(batch, channels, side, patch, side, patch)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def _cropped(images: Tensor, patch: int) -> Tensor:
    height, width = (size - size % patch for size in images.shape[-2:])
    return ref.patchify(images[..., :height, :width], patch)


def _unchecked(images: Tensor, patch: int) -> Tensor:
    batch, channels, height, width = images.shape
    grid = images.reshape(batch, channels, height // patch, patch, width // patch, patch)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def _checks_height_only(images: Tensor, patch: int) -> Tensor:
    if images.shape[-2] % patch:
        raise ValueError("not divisible")
    return _unchecked(images, patch)


def _asserted(images: Tensor, patch: int) -> Tensor:
    assert images.shape[-2] % patch == 0
    assert images.shape[-1] % patch == 0
    return ref.patchify(images, patch)


def _not_flattened(images: Tensor, patch: int) -> Tensor:
    return tiles(images, patch).permute(0, 2, 4, 1, 3, 5).flatten(1, 2)


def _reshapes_twice(tree: ast.AST) -> bool:
    return sum(len(syntax.calls(tree, name)) for name in ("reshape", "view", "flatten", "unflatten")) > 1


PATCHIFY = Exercise(
    name="patchify",
    points=4,
    section="Cutting the image",
    reference=ref.patchify,
    returns=("patches (B, N, C * patch * patch)",),
    cases=patchify_cases,
    misconceptions=(
        Misconception(
            "reshape-tears-the-image",
            "The shape is right, the contents are not",
            "You reshape (B, C, H, W) to the asked shape in one go. `reshape` never moves a number: your first patch is the "
            "first few whole "
            "rows of the first channel. A patch has to collect pieces of several rows, and that takes a change of the order of axes.",
            _plain_reshape,
        ),
        Misconception(
            "not-permuted",
            "Cut, but not sorted",
            "You cut height and width in two, and then glue the pieces together in the order in which they lie. Rows of patches, rows "
            "inside a patch, columns of patches, columns inside: which of these must stand together before they may be flattened?",
            lambda images, patch: tiles(images, patch).reshape(len(images), -1, images.shape[1] * patch * patch),
            syntax=lambda tree: (
                len(syntax.calls(tree, "reshape")) + len(syntax.calls(tree, "view")) + len(syntax.calls(tree, "flatten")) > 1
            ),
        ),
        Misconception(
            "column-by-column",
            "The patches are read column by column",
            "Your patches are right, but they come column after column. Asked for is the order in which one reads: the first row of "
            "patches from left to right, then the second.",
            in_order(0, 4, 2, 1, 3, 5),
        ),
        Misconception(
            "pixels-transposed",
            "Every patch lies on its side",
            "Inside a patch you put the columns before the rows, so every patch is transposed. Asked for is channel, row, column.",
            in_order(0, 2, 4, 1, 5, 3),
        ),
        Misconception(
            "channel-last-in-patch",
            "The channel comes last inside a patch",
            "Inside a patch you have row, column, channel. A linear layer could learn from that just as well, but the text fixes the order "
            "channel, row, column, so that weights can be exchanged with a convolution.",
            in_order(0, 2, 4, 3, 5, 1),
        ),
        Misconception(
            "strided-sampling",
            "Every n-th pixel instead of neighbours",
            "You cut the height into (patch, H / patch) instead of (H / patch, patch). The slow axis comes first: your patches "
            "collect pixels "
            "that lie H / patch apart, each one a tiny copy of the whole image.",
            _strided,
        ),
        Misconception(
            "strided-sampling",
            "Rows of patches and rows inside a patch are mixed up",
            "You cut the height into (patch, H / patch) instead of (H / patch, patch): the first factor is the slow one. What you call the "
            "inside of a patch are pixels that lie H / patch apart.",
            _strided_groups,
        ),
        Misconception(
            "unfold-not-transposed",
            "Patches as columns",
            "Your result is (B, C * patch * patch, N): that is how `unfold` lays patches out. Here a patch is a row, as a token "
            "is everywhere "
            "in this course.",
            _unfold_untransposed,
        ),
        Misconception(
            "overlapping",
            "The patches overlap",
            "Your window moves by one pixel, so neighbouring patches share most of their pixels. It should move by a whole patch: which "
            "argument says how far?",
            _overlapping,
        ),
        Misconception(
            "channels-last",
            "The channel is taken for the last axis",
            "You read the shape as (B, H, W, C), as image files and TensorFlow have it. In PyTorch images are (B, C, H, W).",
            _channels_last,
        ),
        Misconception(
            "square-only",
            "Only square images",
            "You count the patches of one side and take the other side for the same. Height and width may differ: count both.",
            _square_only,
        ),
        Misconception(
            "crops-silently",
            "The rest of the image falls under the table",
            "Where the patches do not fit you cut off what is left over, without a word. Asked for is a ValueError: better a loud error "
            "than an image that has lost its right edge.",
            _cropped,
        ),
        Misconception(
            "unchecked",
            "The error is not the one that was asked for",
            "Where the patches do not fit, you let `reshape` fail by itself. Asked for is a ValueError, which says what is wrong "
            "with the arguments.",
            _unchecked,
        ),
        Misconception(
            "checks-one-side",
            "Only the height is checked",
            "You raise a ValueError if the patch does not divide the height. The width can be wrong just as well.",
            _checks_height_only,
        ),
        Misconception(
            "assert-for-raise",
            "An assert is not a ValueError",
            "`assert` raises AssertionError, and disappears when Python runs with -O. Input from outside is checked with `if …: "
            "raise ValueError(…)`.",
            _asserted,
        ),
        Misconception(
            "not-flattened",
            "A patch is still a little image",
            "Your result is (B, N, C, patch, patch). Flatten each patch into one row of numbers: the linear layer that follows "
            "wants a vector.",
            _not_flattened,
        ),
        Misconception(
            "grid-kept",
            "The patches still lie in a grid",
            "Your result has an axis for the rows and one for the columns of patches. To the Transformer they are one sequence: (B, N, …).",
            lambda images, patch: tiles(images, patch).permute(0, 2, 4, 1, 3, 5).flatten(3),
        ),
    ),
)

# unpatchify ----------------------------------------------------------------------------------------------------------


def unpatchify_cases(draw: Draw) -> list[Case]:
    batch, channels, rows, columns, patch = draw.sizes(5, low=2, high=6)

    def case(label: str, height: int, width: int, size: int, depth: int = channels, **options: Any) -> Case:
        patches = draw.normal(batch, (height // size) * (width // size), depth * size * size)
        return Case(label, args=(patches, size, height, width), **options)

    return [
        case(f"{rows} x {columns} patches of {patch} x {patch}", rows * patch, columns * patch, patch),
        case("more rows than columns, or the other way round", columns * patch, rows * patch, patch),
        case("a square image", columns * patch, columns * patch, patch),
        case(f"a small image, patches of {rows}", 2 * rows, 3 * rows, rows, depth=1),
        case("gradients arrive", rows * patch, columns * patch, patch, gradients=True),
        case("patches of one pixel", rows, columns, 1, group="edge"),
        case("one patch is the whole image", patch, patch, patch, group="edge"),
    ]


def from_grid(*axes: int) -> Callable[[Tensor, int, int, int], Tensor]:
    """unpatchify with another order of the axes (B, rows, columns, C, p, p)."""

    def variant(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
        grid = patches.reshape(len(patches), height // patch, width // patch, -1, patch, patch)
        return grid.permute(*axes).reshape(len(patches), -1, height, width)

    return variant


def _swapped_sides(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    return ref.unpatchify(patches, patch, width, height)


def _grid_swapped(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), width // patch, height // patch, -1, patch, patch)
    return grid.permute(0, 3, 2, 4, 1, 5).reshape(len(patches), -1, height, width)


def _grid_swapped_flat(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), width // patch, height // patch, -1, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), -1, height, width)


def _three_channels(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), height // patch, width // patch, 3, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), 3, height, width)


def _one_channel(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), height // patch, width // patch, 1, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), 1, height, width)


def _square_unpatchify(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    side = int(patches.shape[1] ** 0.5)
    grid = patches.reshape(len(patches), side, side, patches.shape[-1] // patch**2, patch, patch)
    return grid.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), -1, height, width)


def _folded_untransposed(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    return F.fold(patches, (height, width), patch, stride=patch)


def _channels_last_grid(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), height // patch, width // patch, patch, patch, -1)
    return grid.permute(0, 5, 1, 3, 2, 4).reshape(len(patches), -1, height, width)


def _channels_before_grid(patches: Tensor, patch: int, height: int, width: int) -> Tensor:
    grid = patches.reshape(len(patches), -1, height // patch, width // patch, patch, patch)
    return grid.transpose(3, 4).reshape(len(patches), -1, height, width)


def syntax_has(tree: ast.AST, number: int) -> bool:
    """Does this number stand in the answer?"""
    return any(isinstance(node, ast.Constant) and node.value == number for node in ast.walk(tree))


UNPATCHIFY = Exercise(
    name="unpatchify",
    points=3,
    section="Cutting the image",
    reference=ref.unpatchify,
    returns=("images (B, C, H, W)",),
    cases=unpatchify_cases,
    misconceptions=(
        Misconception(
            "reshape-tears-the-image",
            "The shape is right, the contents are not",
            "You reshape the patches straight to (B, C, H, W). The numbers stay in the order of the patches, so the first row of "
            "your image "
            "is filled with several rows of the first patch. Walk the steps of `patchify` backwards, one by one.",
            lambda patches, patch, height, width: patches.reshape(len(patches), -1, height, width),
            syntax=lambda tree: not syntax.uses(tree, "permute", "transpose", "movedim", "swapaxes", "einsum"),
        ),
        Misconception(
            "not-permuted",
            "Unfolded, but not sorted back",
            "You give the numbers six axes and then flatten them in the order in which they lie. In the image, a row of pixels "
            "runs through "
            "all the patches of one row: which axes must stand side by side before height and width are glued together?",
            from_grid(0, 1, 2, 3, 4, 5),
        ),
        Misconception(
            "same-permutation-twice",
            "The permutation is not undone, it is done again",
            "You permute with the same numbers as in `patchify`. The inverse of a permutation is another one: write the names of "
            "the six axes "
            "under your tensor and ask where each has to go.",
            from_grid(0, 2, 4, 1, 3, 5),
        ),
        Misconception(
            "patches-transposed",
            "Every patch lies on its side",
            "The patches are in their places, but inside each of them rows and columns are swapped.",
            from_grid(0, 3, 1, 5, 2, 4),
        ),
        Misconception(
            "column-by-column",
            "The patches are put back column by column",
            "You fill the grid of patches column after column. `patchify` read them row by row.",
            _grid_swapped,
        ),
        Misconception(
            "column-by-column",
            "Rows and columns of patches are confused",
            "You cut N into (columns, rows). The rows of patches are the slow axis: they come first.",
            _grid_swapped_flat,
        ),
        Misconception(
            "height-and-width-swapped",
            "Height and width have changed places",
            "Your image is as wide as it should be high. Height comes before width, in the arguments and in the result.",
            _swapped_sides,
        ),
        Misconception(
            "three-channels",
            "Always three channels",
            "You take it for granted that there are 3 channels. Their number follows from the length of a patch: C * patch * patch.",
            _three_channels,
            syntax=lambda tree: syntax_has(tree, 3),
        ),
        Misconception(
            "one-channel",
            "Always one channel",
            "You take it for granted that there is one channel. Their number follows from the length of a patch: C * patch * patch.",
            _one_channel,
            syntax=lambda tree: syntax_has(tree, 1),
        ),
        Misconception(
            "square-only",
            "Only square images",
            "You take the root of N for the number of rows and of columns. They differ unless the image is a square: `height` "
            "and `width` tell them.",
            _square_unpatchify,
        ),
        Misconception(
            "fold-not-transposed",
            "`fold` wants patches as columns",
            "You hand (B, N, C * patch * patch) to `fold`, which wants (B, C * patch * patch, N).",
            _folded_untransposed,
            syntax=lambda tree: syntax.uses(tree, "fold", "Fold"),
        ),
        Misconception(
            "channel-last-in-patch",
            "The channel is looked for at the end of a patch",
            "You read a patch as row, column, channel. `patchify` wrote it as channel, row, column.",
            _channels_last_grid,
        ),
        Misconception(
            "channels-before-the-grid",
            "The channels are taken out in front of the patches",
            "You give the numbers the axes (B, C, rows, columns, p, p). But the slowest axis of `patches` is the number of the patch, and each "
            "patch holds all of its channels: with you, colours of one place end up in different places. First the grid, then what is in a "
            "patch; then permute.",
            _channels_before_grid,
        ),
        Misconception(
            "channels-last",
            "The channel is the last axis of the result",
            "Your image is (B, H, W, C), as matplotlib wants it. Asked for is PyTorch's (B, C, H, W).",
            lambda patches, patch, height, width: ref.unpatchify(patches, patch, height, width).permute(0, 2, 3, 1),
        ),
    ),
)

# PatchEmbedding ------------------------------------------------------------------------------------------------------

Forward = Callable[..., Any]


def embedding_weights(draw: Draw, count: int, length: int, dim: int) -> dict[str, Tensor]:
    """A state for PatchEmbedding: `count` patches of `length` numbers."""
    return {
        "project.weight": draw.normal(dim, length, scale=length**-0.5),
        "project.bias": draw.normal(dim),
        "cls": draw.normal(1, 1, dim),
        "positions": draw.normal(1, count + 1, dim),
    }


def embedding_cases(draw: Draw) -> list[Case]:
    batch, channels, patch, rows, other = draw.sizes(5, low=2, high=6)

    def case(label: str, images: int, channels: int, patch: int, rows: int, **options: Any) -> Case:
        dim = 7 + draw.integer(0, 2)
        size = rows * patch
        weights = embedding_weights(draw, rows**2, channels * patch**2, dim)
        args = (draw.normal(images, channels, size, size),)
        return Case(label, init=(size, channels, patch, dim), weights=weights, args=args, **options)

    return [
        case(f"{rows} x {rows} patches of {patch} x {patch}, {channels} channels", batch, channels, patch, rows),
        case(f"{other} images, patches of {rows}", other, 1, rows, patch),
        case("gradients arrive everywhere", batch, channels, 2, 2, gradients=True),
        case("one image", 1, channels, patch, 2, group="edge"),
        case("one patch is the whole image", batch, channels, patch, 1, group="edge"),
        case("patches of one pixel", batch, channels, 1, rows, group="edge"),
    ]


def embedding(forward: Forward) -> type[ref.PatchEmbedding]:
    """PatchEmbedding with another forward."""
    return type("Variant", (ref.PatchEmbedding,), {"forward": forward})


def tokens_of(self: Any, images: Tensor) -> tuple[Tensor, Tensor]:
    """The projected patches (B, N, D) and one CLS token per image (B, 1, D)."""
    return self.project(ref.patchify(images, self.patch)), self.cls.expand(len(images), -1, -1)


def _cls_last(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([tokens, cls], 1) + self.positions


def _no_positions(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([cls, tokens], 1)


def _cls_without_position(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([cls, tokens + self.positions[:, 1:]], 1)


def _positions_shifted(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([cls, tokens + self.positions[:, :-1]], 1)


def _no_cls(self: Any, images: Tensor) -> Any:
    tokens, _ = tokens_of(self, images)
    return tokens + self.positions[:, 1:]


def _no_cls_first_positions(self: Any, images: Tensor) -> Any:
    tokens, _ = tokens_of(self, images)
    return tokens + self.positions[:, :-1]


def _cls_not_expanded(self: Any, images: Tensor) -> Any:
    tokens, _ = tokens_of(self, images)
    return torch.cat([self.cls, tokens], 1) + self.positions


def _cls_added(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([torch.zeros_like(cls), tokens], 1) + cls + self.positions


def _zero_cls(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([torch.zeros_like(cls), tokens], 1) + self.positions


def _multiplied(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([cls, tokens], 1) * self.positions


def _overwrites(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([cls, tokens[:, 1:]], 1) + self.positions[:, :-1]


def _torn(self: Any, images: Tensor) -> Any:
    torn = _plain_reshape(images, self.patch)
    return torch.cat([self.cls.expand(len(images), -1, -1), self.project(torn)], 1) + self.positions


def _along_batch(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([cls, tokens], 0) + self.positions


def _activated(self: Any, images: Tensor) -> Any:
    tokens, cls = tokens_of(self, images)
    return torch.cat([cls, tokens.relu()], 1) + self.positions


EMBEDDING = Exercise(
    name="PatchEmbedding",
    points=4,
    section="From patches to tokens",
    reference=ref.PatchEmbedding,
    kind="module",
    returns=("tokens (B, N + 1, D)",),
    cases=embedding_cases,
    picture=weights_picture(0),
    misconceptions=(
        Misconception(
            "cls-last",
            "CLS stands at the end",
            "You append the CLS token behind the patches. The text puts it first, and the classifier will read place 0.",
            embedding(_cls_last),
        ),
        Misconception(
            "no-positions",
            "No positions",
            "You never add `positions`. Attention does not see order: without them the model gets the same bag of patches for an image and "
            "for its jigsaw.",
            embedding(_no_positions),
        ),
        Misconception(
            "cls-without-position",
            "CLS gets no position",
            "You add positions to the patches only. `positions` has N + 1 rows: the first belongs to the CLS token.",
            embedding(_cls_without_position),
        ),
        Misconception(
            "positions-off-by-one",
            "Positions are off by one",
            "You add the first N positions to the patches, so every patch gets the position of its neighbour, and CLS none. The first row "
            "belongs to CLS.",
            embedding(_positions_shifted),
        ),
        Misconception(
            "no-cls",
            "The CLS token is missing",
            "You return the patches alone, N tokens. The CLS token makes N + 1: nothing else can gather what the image is about.",
            embedding(_no_cls),
        ),
        Misconception(
            "no-cls",
            "The CLS token is missing",
            "You return the patches alone, N tokens, with the first N positions. The CLS token comes before them and takes the "
            "first position.",
            embedding(_no_cls_first_positions),
        ),
        Misconception(
            "cls-not-expanded",
            "One CLS token for a whole batch",
            "`cls` has shape (1, 1, D), and `cat` does not broadcast: every image of the batch needs a CLS token of its own. Which method "
            "repeats an axis of length one without copying?",
            embedding(_cls_not_expanded),
        ),
        Misconception(
            "cls-added-to-all",
            "CLS is added instead of put in front",
            "You add the CLS vector to every token. It should be a token of its own, in front of the others.",
            embedding(_cls_added),
        ),
        Misconception(
            "cls-not-learned",
            "A CLS token of zeros",
            "You put zeros in front of the patches. `self.cls` is a parameter that is learned: use it.",
            embedding(_zero_cls),
        ),
        Misconception(
            "positions-multiplied",
            "Positions are multiplied",
            "You multiply by the positions. They are added: with positions near zero, a product would wipe out the image.",
            embedding(_multiplied),
        ),
        Misconception(
            "cls-overwrites-a-patch",
            "CLS takes the place of a patch",
            "You put the CLS token where the first patch was. It comes in addition: N + 1 tokens.",
            embedding(_overwrites),
        ),
        Misconception(
            "reshape-tears-the-image",
            "The patches are not patches",
            "You reshape the image instead of cutting it: the tokens hold stripes of pixel rows. Use `patchify`.",
            embedding(_torn),
        ),
        Misconception(
            "cat-along-batch",
            "Glued along the wrong axis",
            "You concatenate along the batch. The CLS token is one more token in the sequence: which axis is that?",
            embedding(_along_batch),
        ),
        Misconception(
            "activation-on-tokens",
            "A nonlinearity too many",
            "You put a ReLU behind the projection. An embedding is linear here; the encoder bends later.",
            embedding(_activated),
        ),
    ),
)

# VisionTransformer ---------------------------------------------------------------------------------------------------


def model_weights(draw: Draw, init: tuple[int, ...]) -> dict[str, Tensor]:
    """A state for VisionTransformer in which every number is drawn."""
    shapes = {name: value.shape for name, value in ref.VisionTransformer(*init).state_dict().items()}
    state = {}
    for name, shape in shapes.items():
        fan_in = shape[-1] if name.endswith("weight") and len(shape) == 2 else 1
        state[name] = draw.normal(*shape, scale=fan_in**-0.5)
        if "norm" in name and name.endswith("weight"):
            state[name] = 1 + 0.3 * state[name]
    return state


def model_cases(draw: Draw) -> list[Case]:
    batch, channels, patch, rows = draw.sizes(4, low=2, high=5)
    heads, size = draw.sizes(2, low=2, high=4)

    def case(label: str, images: int, depth: int, rows: int = rows, classes: int = 11, **options: Any) -> Case:
        dim = heads * size
        init = (rows * patch, channels, patch, dim, heads, 2 * dim + 1, depth, classes)
        args = (draw.normal(images, channels, rows * patch, rows * patch),)
        return Case(label, init=init, weights=model_weights(draw, init), args=args, **options)

    return [
        case(f"{batch} images, {rows} x {rows} patches, two layers", batch, 2),
        case("one layer, other weights", batch + 1, 1),
        case("gradients arrive everywhere", batch, 2, rows=2, gradients=True),
        case("one image", 1, 2, group="edge"),
        case("one patch is the whole image", batch, 2, rows=1, group="edge"),
        case("two classes", batch, 1, classes=2, group="edge"),
    ]


def vision(forward: Forward) -> type[ref.VisionTransformer]:
    """VisionTransformer with another forward."""
    return type("Variant", (ref.VisionTransformer,), {"forward": forward})


def encoded(self: Any, images: Tensor) -> Any:
    """(B, C, H, W) -> (B, N + 1, D)."""
    return self.encoder(self.embed(images))


def _all_tokens(self: Any, images: Tensor) -> Any:
    return self.head(encoded(self, images))


def _without_final_norm(self: Any, images: Tensor) -> Any:
    tokens = self.embed(images)
    for block in self.encoder.blocks:
        tokens = block(tokens)
    return self.head(tokens[:, 0])


def _normed_first(self: Any, images: Tensor) -> Any:
    return self.head(self.encoder(self.encoder.norm(self.embed(images)))[:, 0])


def _without_encoder(self: Any, images: Tensor) -> Any:
    return self.head(self.embed(images)[:, 0])


def _without_embedding_cls(self: Any, images: Tensor) -> Any:
    tokens = self.embed(images)[:, 1:]
    return self.head(self.encoder(tokens)[:, 0])


def _positions_twice(self: Any, images: Tensor) -> Any:
    return self.head(self.encoder(self.embed(images) + self.embed.positions)[:, 0])


def _causal(self: Any, images: Tensor) -> Any:
    tokens = self.embed(images)
    mask = torch.ones(tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
    return self.head(self.encoder(tokens, mask)[:, 0])


def _after_head(change: Callable[[Tensor], Tensor]) -> type[ref.VisionTransformer]:
    return vision(lambda self, images: change(self.head(encoded(self, images)[:, 0])))


VISION = Exercise(
    name="VisionTransformer",
    points=4,
    section="The Vision Transformer",
    reference=ref.VisionTransformer,
    kind="module",
    returns=("logits (B, classes)",),
    cases=model_cases,
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            "Here you put the model together yourself, from your PatchEmbedding and the course's Encoder: torchvision's models and torch's "
            "TransformerEncoder are not allowed.",
            names=("torchvision", "vit_b_16", "vit_b_32", "vit_l_16", "TransformerEncoder", "TransformerEncoderLayer", "Transformer"),
        ),
    ),
    misconceptions=(
        Misconception(
            "mean-with-cls",
            "The mean of all tokens",
            "You average over all tokens, CLS included. That can be trained as well, but the text reads the class off the CLS token alone.",
            vision(lambda self, images: self.head(encoded(self, images).mean(1))),
        ),
        Misconception(
            "mean-of-patches",
            "The mean of the patches",
            "You average the patches and leave the CLS token out. Many models do that; here the logits come from the CLS token.",
            vision(lambda self, images: self.head(encoded(self, images)[:, 1:].mean(1))),
        ),
        Misconception(
            "first-patch-for-cls",
            "A patch is taken for CLS",
            "You read token 1, which is the patch in the upper left corner. Where did the embedding put the CLS token?",
            vision(lambda self, images: self.head(encoded(self, images)[:, 1])),
        ),
        Misconception(
            "last-token",
            "The last token is read",
            "You read the last token, as a language model does. It is the patch in the lower right corner; CLS stands elsewhere.",
            vision(lambda self, images: self.head(encoded(self, images)[:, -1])),
        ),
        Misconception(
            "first-image",
            "The first image instead of the first token",
            "`[0]` takes the first image of the batch with all of its tokens. The batch is the first axis, the tokens are the second.",
            vision(lambda self, images: self.head(encoded(self, images)[0])),
        ),
        Misconception(
            "logits-for-every-token",
            "Logits for every token",
            "You return (B, N + 1, classes). The image has one class: pick the token that has gathered the whole of it.",
            vision(_all_tokens),
        ),
        Misconception(
            "softmax-in-the-model",
            "Probabilities instead of logits",
            "You put a softmax at the end. Cross entropy has one inside: with two of them the gradients get small, and the text "
            "asks for logits.",
            _after_head(lambda logits: logits.softmax(-1)),
        ),
        Misconception(
            "log-softmax-in-the-model",
            "Log probabilities instead of logits",
            "You put a log-softmax at the end. Cross entropy takes care of that; the text asks for logits.",
            _after_head(lambda logits: logits.log_softmax(-1)),
        ),
        Misconception(
            "predicted-class",
            "The class instead of the logits",
            "You return the largest entry's number. Nothing can be learned through an argmax: return the logits.",
            _after_head(lambda logits: logits.argmax(-1)),
        ),
        Misconception(
            "final-norm-skipped",
            "The last norm is missing",
            "You walk through the blocks by hand and leave out the norm that ends a pre-norm encoder. Call the encoder as a whole.",
            vision(_without_final_norm),
        ),
        Misconception(
            "norm-first-too",
            "A norm too many",
            "You also apply the encoder's final norm before the first block. It belongs behind the last one, and the encoder "
            "does that itself.",
            vision(_normed_first),
        ),
        Misconception(
            "no-encoder",
            "The encoder is never called",
            "You classify the CLS token before the encoder has run. At that moment it is the same learned vector for every image.",
            vision(_without_encoder),
        ),
        Misconception(
            "cls-dropped",
            "CLS is dropped before the encoder",
            "You take the CLS token out of the sequence before the encoder, so what you read at place 0 is a patch.",
            vision(_without_embedding_cls),
        ),
        Misconception(
            "positions-twice",
            "Positions are added twice",
            "You add the positions once more. The embedding has done that already.",
            vision(_positions_twice),
        ),
        Misconception(
            "causal-mask",
            "The patches may not look ahead",
            "You give the encoder a causal mask. CLS stands first: with such a mask it sees nothing but itself. An image has no "
            "future to hide.",
            vision(_causal),
        ),
    ),
)

# attention_rollout ---------------------------------------------------------------------------------------------------


def rollout_cases(draw: Draw) -> list[Case]:
    batch, heads, tokens, depth, other = draw.sizes(5, low=2, high=7)

    def layers(count: int, heads: int, tokens: int, sharpness: float = 2.0) -> list[Tensor]:
        return [draw.normal(batch, heads, tokens, tokens, scale=sharpness).softmax(-1) for _ in range(count)]

    nearly = [layer / layer.sum(-1, keepdim=True) for layer in (w + 1e-3 for w in layers(3, heads, other))]
    return [
        Case(f"{depth} layers, {heads} heads, {tokens} tokens", args=(layers(depth, heads, tokens),)),
        Case(f"{tokens} layers, {depth} heads, {heads} tokens", args=(layers(tokens, depth, heads),)),
        Case("two sharp layers", args=(layers(2, heads, other, 6.0),)),
        Case("three even layers", args=(nearly,)),
        Case("one layer", args=(layers(1, heads, tokens),), group="edge"),
        Case("one head", args=(layers(depth, 1, tokens),), group="edge"),
        Case(
            "rows that sum to less than one (dropout was on)",
            args=([layer * draw.mask(*layer.shape, keep=0.8) for layer in layers(depth, heads, tokens)],),
            group="edge",
        ),
    ]


def rollout(
    fuse: Callable[[Tensor], Tensor] = lambda layer: layer.mean(1),
    mix: Callable[[Tensor, Tensor], Tensor] = lambda a, eye: 0.5 * a + 0.5 * eye,
    norm: Callable[[Tensor], Tensor] = lambda a: a / a.sum(-1, keepdim=True),
    join: Callable[[Tensor, Tensor], Tensor] = lambda step, total: step @ total,
) -> Callable[[list[Tensor]], Tensor]:
    """attention_rollout with one of its four parts exchanged."""

    def variant(weights: list[Tensor]) -> Tensor:
        eye = torch.eye(weights[0].shape[-1])
        total = eye.expand(len(weights[0]), -1, -1)
        for layer in weights:
            total = join(norm(mix(fuse(layer), eye)), total)
        return total

    return variant


def _steps(weights: list[Tensor]) -> Tensor:
    """(L, B, T, T): the mixed and normalised matrix of every layer."""
    eye = torch.eye(weights[0].shape[-1])
    steps = torch.stack([0.5 * layer.mean(1) + 0.5 * eye for layer in weights])
    return steps / steps.sum(-1, keepdim=True)


def _renormalised_later(weights: list[Tensor]) -> Tensor:
    total = rollout(norm=lambda a: a)(weights)
    return total / total.sum(-1, keepdim=True)


def _heads_kept(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1])
    total = eye
    for layer in weights:
        step = 0.5 * layer + 0.5 * eye
        total = step / step.sum(-1, keepdim=True) @ total
    return total.mean(1)


def _identity_once(weights: list[Tensor]) -> Tensor:
    eye = torch.eye(weights[0].shape[-1])
    total = rollout(mix=lambda a, _: a)(weights)
    step = 0.5 * total + 0.5 * eye
    return step / step.sum(-1, keepdim=True)


def _no_keepdim(weights: list[Tensor]) -> Tensor:
    return rollout(norm=lambda a: a / a.sum(-1)[:, None, :])(weights)


ROLLOUT = Exercise(
    name="attention_rollout",
    points=4,
    section="Attention rollout",
    reference=ref.attention_rollout,
    returns=("rollout (B, T, T)",),
    cases=rollout_cases,
    properties=(rows_sum_to_one(0, "rollout"),),
    picture=weights_picture(0),
    misconceptions=(
        Misconception(
            "order-reversed",
            "The layers are multiplied in the wrong order",
            "You multiply later layers from the right. A token of layer 2 looks at the outputs of layer 1, so layer 2's matrix "
            "is applied to "
            "what layer 1 has made: it stands on the left.",
            rollout(join=lambda step, total: total @ step),
        ),
        Misconception(
            "no-identity",
            "The residual connection is forgotten",
            "You multiply the attention matrices alone. Every block also passes its input on unchanged: half of each step is the identity.",
            rollout(mix=lambda a, eye: a),
        ),
        Misconception(
            "not-normalised",
            "The rows no longer sum to one",
            "You add the identity without halving and without normalising, so that every layer doubles the sum of a row.",
            rollout(mix=lambda a, eye: a + eye, norm=lambda a: a),
        ),
        Misconception(
            "rows-not-normalised",
            "The rows are not normalised",
            "Half and half keeps rows at one only if they were at one before. With dropout on they are not: divide each row by its sum.",
            rollout(norm=lambda a: a),
        ),
        Misconception(
            "normalised-at-the-end",
            "Normalised once, at the end",
            "You normalise the product instead of each layer. Where rows of a layer sum to different amounts, that is not the same.",
            _renormalised_later,
        ),
        Misconception(
            "columns-normalised",
            "The columns sum to one, not the rows",
            "You normalise along the queries. What a token receives sums to one, and that is a row.",
            rollout(norm=lambda a: a / a.sum(-2, keepdim=True)),
        ),
        Misconception(
            "missing-keepdim",
            "The sums are lined up with the columns",
            "`sum(-1)` drops the axis, and broadcasting divides column j by the sum of row j. You do not notice as long as all "
            "sums are one. "
            "`keepdim=True` keeps them in their rows.",
            _no_keepdim,
        ),
        Misconception(
            "average-of-layers",
            "Layers are averaged",
            "You average the layers. They act one after the other: what layer 2 gathers are mixtures that layer 1 has made. That "
            "is a product.",
            lambda weights: _steps(weights).mean(0),
        ),
        Misconception(
            "last-layer-only",
            "Only the last layer",
            "You use the last layer alone. Its keys are no longer patches but mixtures of patches: the earlier layers say of which.",
            lambda weights: _steps(weights)[-1],
        ),
        Misconception(
            "raw-last-layer",
            "Only the last layer's raw attention",
            "You return the last layer's mean attention. Its keys are no longer patches but mixtures of patches: the earlier "
            "layers say of which.",
            lambda weights: weights[-1].mean(1),
        ),
        Misconception(
            "max-over-heads",
            "The maximum over heads",
            "You take the largest head at each place. Others do that too, but the text asks for the mean.",
            rollout(fuse=lambda layer: layer.amax(1)),
        ),
        Misconception(
            "sum-over-heads",
            "The sum over heads",
            "You add the heads up, so attention weighs as many times more than the identity as there are heads. Asked for is their mean.",
            rollout(fuse=lambda layer: layer.sum(1)),
        ),
        Misconception(
            "first-head",
            "Only one head",
            "You follow head 0 alone. Asked for is the mean over all heads.",
            rollout(fuse=lambda layer: layer[:, 0]),
        ),
        Misconception(
            "heads-multiplied-apart",
            "Heads are averaged at the end",
            "You multiply head by head and average the products. But the heads of a layer are mixed before the next layer reads "
            "them: average "
            "within each layer.",
            _heads_kept,
        ),
        Misconception(
            "elementwise-product",
            "An elementwise product",
            "You multiply entry by entry. To follow a path from token to token through the layers you need the matrix product.",
            rollout(join=lambda step, total: step * total if total.stride(0) else step),
        ),
        Misconception(
            "identity-once",
            "The residual is added only once",
            "You multiply the raw attention matrices and mix in the identity at the end. There is a residual around every layer.",
            _identity_once,
        ),
        Misconception(
            "only-cls-row",
            "Only the row of CLS",
            "You return the row of the CLS token. That is what will be looked at, but asked for is the whole matrix (B, T, T).",
            lambda weights: ref.attention_rollout(weights)[:, 0],
        ),
        Misconception(
            "transposed",
            "Rows and columns are swapped",
            "Your matrix is transposed: queries are the rows, keys the columns.",
            lambda weights: ref.attention_rollout(weights).mT,
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_BETTER = Choice(
    name="slide_better",
    points=2,
    section="Little data: a CNN, a ViT and a straight line",
    right="c",
    options={
        "a": Option(
            "Nothing: attention sees the whole image at once, so it must beat a convolution that sees 3 x 3 pixels.",
            "Seeing everything is freedom, and freedom has to be paid for with examples. In the lecture, with 100 digits, the "
            "CNN is far ahead.",
            "global-is-better",
        ),
        "b": Option(
            "It is the other way round: CNNs are better than ViTs, whatever the amount of data.",
            "With hundreds of millions of images for pre-training, ViTs overtook CNNs of the same cost. The claim needs a "
            "condition, not a minus sign.",
            "never-better",
        ),
        "c": Option(
            "A condition is missing: trained on much data yes, on little data a CNN is ahead, because it has locality built in "
            "and a ViT must learn it.",
            "Right. The original paper says so itself: on ImageNet alone ViT lags behind a ResNet, with 300 million images it leads.",
        ),
        "d": Option(
            "ViTs are better only because they have more parameters.",
            "In the lecture the ViT has several times the parameters of the CNN, and loses. Size is not what decides here.",
            "size-decides",
        ),
    },
)

SLIDE_COST = Choice(
    name="slide_cost",
    points=2,
    section="What a patch costs",
    right="d",
    options={
        "a": Option(
            "Nothing changes: the image has as many pixels as before.",
            "The pixels are the same, the tokens are not: halving the side of a patch makes four patches out of one.",
            "pixels-count",
        ),
        "b": Option(
            "Twice as much: the patches are half as large.",
            "Half the side in *both* directions: four times the tokens. And the attention matrix has a row and a column for each of them.",
            "one-direction",
        ),
        "c": Option(
            "Four times as much: there are four times as many patches.",
            "That is what the linear layers cost. The attention matrix is N x N: it grows with the square of the number of tokens.",
            "linear-in-tokens",
        ),
        "d": Option(
            "Sixteen times as much: four times the tokens, and the matrix grows with their square.",
            "Right. Memory O(n²), time O(n² d): a slide that says only O(n²) leaves out which of the two it means, and the size "
            "of a token.",
        ),
    },
)

SLIDE_ORDER = Choice(
    name="slide_order",
    points=2,
    section="Do positions matter?",
    right="b",
    options={
        "a": Option(
            "Nothing: shuffle the patches and every token comes out as before.",
            "Every token comes out with the numbers it had before, but at its new place: shuffled input, shuffled output. Only "
            "something that "
            "does not look at places stays the same.",
            "invariant-tokens",
        ),
        "b": Option(
            "Self-attention is equivariant: shuffled patches give shuffled tokens. Only what is read from CLS, or from a mean, "
            "is invariant.",
            "Right. Equivariant: the output moves with the input. Invariant: it does not change. A classifier on CLS without "
            "positions is invariant.",
        ),
        "c": Option(
            "Self-attention does see the order, because W_Q and W_K are different matrices.",
            "The same W_Q and W_K are applied to every token, wherever it stands. They tell what a token is, not where.",
            "projections-see-order",
        ),
        "d": Option(
            "It is insensitive only with a single head; several heads see the order.",
            "Each head is equivariant by itself, and merging the heads happens token by token.",
            "heads-see-order",
        ),
    },
)

UNIT = Unit(
    name="09_vision_transformer",
    title="An image is a sentence: the Vision Transformer",
    exercises=(PATCHIFY, UNPATCHIFY, EMBEDDING, VISION, ROLLOUT, SLIDE_BETTER, SLIDE_COST, SLIDE_ORDER),
)
