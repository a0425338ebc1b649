"""Coverage: `coverage_penalty(weights)`, (B, T, R) -> scalar."""

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.promises import shares


def cases(draw: Draw) -> list[Case]:
    batch, steps, regions, other = draw.sizes(4)

    def weights(batch: int, steps: int, regions: int) -> Tensor:
        return draw.normal(batch, steps, regions, scale=1.5).softmax(-1)

    # Every region once
    fair = torch.eye(regions)[draw.permutation(regions)].expand(batch, -1, -1).contiguous()
    example = torch.tensor([[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]]])
    return [
        Case("the example of the text: two words, three regions", args=(example,)),
        Case(
            f"{batch} captions of {steps} words, {regions} regions",
            args=(weights(batch, steps, regions),),
        ),
        Case(
            f"{other} captions of {regions} words, {steps} regions",
            args=(weights(other, regions, steps),),
        ),
        Case("values and gradients", args=(weights(batch, other, regions),), gradients=True),
        Case("every region exactly once", args=(fair,), group="edge"),
        Case("one caption", args=(weights(1, steps, regions),), group="edge"),
        Case("one word", args=(weights(batch, 1, regions),), group="edge"),
    ]


EXERCISE = Exercise(
    name="coverage_penalty",
    points=3,
    section="Look everywhere once: coverage",
    reference=ref.coverage_penalty,
    returns=("the penalty, a scalar",),
    cases=cases,
    promised=shares(0),
)

EXERCISE.misconception(
    "sum-over-regions-first",
    "Summed over the regions",
    "You sum the weights over the regions. Those sums are one by construction, so your penalty is "
    "always 0. What should be one is what a region gets over all words.",
    lambda weights: ((1 - weights.sum(-1)) ** 2).sum(-1).mean(),
)

EXERCISE.misconception(
    "mean-over-steps",
    "The mean over the words instead of the sum",
    "You average over the words. With T words a region's mean share is about 1 / R, never 1: sum "
    "over the words.",
    lambda weights: ((1 - weights.mean(1)) ** 2).sum(-1).mean(),
)

EXERCISE.misconception(
    "squared-before-summing",
    "Squared before the sum over the words",
    "You square (1 - weight) word by word. That asks every single weight to be one. First add up "
    "what a region gets, then compare with one.",
    lambda weights: ((1 - weights) ** 2).sum((1, 2)).mean(),
)

EXERCISE.misconception(
    "mean-over-regions",
    "The mean over the regions",
    "You average over the regions too. The text sums over the regions and averages over the batch "
    "only.",
    lambda weights: ((1 - weights.sum(1)) ** 2).mean(),
)

EXERCISE.misconception(
    "sum-over-batch",
    "Summed over the batch",
    "You add up the batch, so that a larger batch has a larger penalty. Take the mean over the "
    "batch.",
    lambda weights: ((1 - weights.sum(1)) ** 2).sum(),
)

EXERCISE.misconception(
    "absolute-difference",
    "Absolute instead of squared",
    "You take the absolute difference. The text asks for its square.",
    lambda weights: (1 - weights.sum(1)).abs().sum(-1).mean(),
)

EXERCISE.misconception(
    "not-squared",
    "The difference is not squared",
    "You add up the differences themselves. Regions with too much and regions with too little "
    "cancel out: the sum is R - T whatever happens.",
    lambda weights: (1 - weights.sum(1)).sum(-1).mean(),
)

EXERCISE.misconception(
    "squared-after-summing",
    "Squared after the sum over the regions",
    "You sum the differences over the regions and square the sum. Too much here and too little "
    "there cancel out before the square.",
    lambda weights: ((1 - weights.sum(1)).sum(-1) ** 2).mean(),
)

EXERCISE.misconception(
    "negative",
    "The sign is wrong",
    "Your penalty is negative: minimising it would drive the attention apart.",
    lambda weights: -((1 - weights.sum(1)) ** 2).sum(-1).mean(),
)

EXERCISE.misconception(
    "per-caption",
    "One number per caption",
    "You return one penalty per caption. The text asks for their mean.",
    lambda weights: ((1 - weights.sum(1)) ** 2).sum(-1),
)

EXERCISE.misconception(
    "only-undershoot",
    "Too much attention costs nothing",
    "You clamp the difference, so that only regions with too little attention are punished. The "
    "text punishes both sides.",
    lambda weights: ((1 - weights.sum(1)).clamp(min=0) ** 2).sum(-1).mean(),
)
