"""A feature map as a set of regions: `image_regions(features)`, (B, C, H, W) -> (B, H * W, C)."""

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    batch, channels, height, width = draw.sizes(4)
    example = torch.arange(12.0).view(1, 2, 2, 3)
    return [
        Case("2 channels of 2 x 3", args=(example,)),
        Case(
            f"{channels} channels of {height} x {width}",
            args=(draw.normal(batch, channels, height, width),),
        ),
        Case(
            f"{height} channels of {width} x {channels}",
            args=(draw.normal(batch, height, width, channels),),
        ),
        Case("as high as wide", args=(draw.normal(batch, channels, width, width),)),
        Case(
            "values and gradients",
            args=(draw.normal(batch, channels, height, width),),
            gradients=True,
        ),
        Case("one place", args=(draw.normal(batch, channels, 1, 1),), group="edge"),
        Case("one channel", args=(draw.normal(batch, 1, height, width),), group="edge"),
        Case("one picture", args=(draw.normal(1, channels, height, width),), group="edge"),
    ]


EXERCISE = Exercise(
    name="image_regions",
    points=2,
    section="A picture as a set of regions",
    reference=ref.image_regions,
    returns=("regions (B, H * W, C)",),
    cases=cases,
)


@EXERCISE.misconception(
    "reshape-for-transpose",
    "The shape is right, the contents are not",
    "You `reshape` (or `view`) straight to (B, H * W, C). No number moves: your first region "
    "holds the first few places of channel 0 instead of all channels of one place. The channels "
    "must change places with height and width first.",
)
def reshaped(features: Tensor) -> Tensor:
    batch, channels, height, width = features.shape
    return features.reshape(batch, height * width, channels)


EXERCISE.misconception(
    "not-transposed",
    "Channels as rows",
    "Your result is (B, C, H * W): one row per channel. The text asks for one row per region, so "
    "that a weighted sum over rows is a mixture of regions.",
    lambda features: features.flatten(2),
)

EXERCISE.misconception(
    "column-by-column",
    "The regions are read column by column",
    "Every region is right, but they come column after column. The text asks for reading order: "
    "the top row from left to right, then the next.",
    lambda features: features.permute(0, 3, 2, 1).flatten(1, 2),
)

EXERCISE.misconception(
    "grid-kept",
    "The regions still lie in a grid",
    "Your result is (B, H, W, C). Attention wants a set of regions: one axis for all of them.",
    lambda features: features.permute(0, 2, 3, 1),
)

EXERCISE.misconception(
    "pooled",
    "The regions are averaged away",
    "You average over all places. That is the one static vector that attention is meant to "
    "replace: keep the places apart.",
    lambda features: features.mean((2, 3)),
)

EXERCISE.misconception(
    "channels-as-regions",
    "The batch is gone",
    "You flatten the batch into the regions. Every picture keeps its own: (B, H * W, C).",
    lambda features: features.permute(0, 2, 3, 1).flatten(0, 2),
)

EXERCISE.misconception(
    "rows-as-regions",
    "A region is a whole row",
    "You make one region of each row of the map, (B, H, C * W). A region is one place: there are "
    "H * W of them.",
    lambda features: features.permute(0, 2, 1, 3).flatten(2),
)

EXERCISE.misconception(
    "all-axes-reversed",
    "The batch has become the last axis",
    "Your result is (H * W, C, B). `.T` reverses *all* axes, the batch too; only the last two "
    "should change places.",
    lambda features: features.flatten(2).permute(2, 1, 0),
)

EXERCISE.misconception(
    "one-vector",
    "One vector for the whole picture",
    "Your result is (B, C * H * W): everything in one row. There is nothing left to choose from: "
    "keep one row per place.",
    lambda features: features.flatten(1),
)
