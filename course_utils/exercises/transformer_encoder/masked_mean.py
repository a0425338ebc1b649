"""The mean of the real tokens: `masked_mean(x, mask)`, (B, T, D), (B, T) bool -> (B, D)."""

import ast

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import transformer_encoder as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.properties import no_nan


def cases(draw: Draw) -> list[Case]:
    b, t, d, e = draw.sizes(4, low=3, high=8)
    lengths = draw.integers(1, t - 1, b, 1)
    empty = draw.mask(e, t)
    empty[draw.integer(1, e - 1)] = False
    example = torch.tensor([[[1.0, 4.0], [3.0, 0.0], [9.0, 9.0]]])
    first, none = draw.mask(b, t), torch.zeros(e, t, dtype=torch.bool)
    first[0] = False
    return [
        Case("the example of the text", args=(example, torch.tensor([[True, True, False]]))),
        Case(
            f"{b} sequences of {t} tokens, {d} features",
            args=(3 * draw.normal(b, t, d) + 1, torch.arange(t) < lengths),
        ),
        Case("tokens to skip anywhere", args=(3 * draw.normal(e, d, b) - 1, draw.mask(e, d))),
        Case("values and gradients", args=(draw.normal(b, t, e), draw.mask(b, t)), gradients=True),
        Case("nothing to skip", args=(draw.normal(d, b, t), torch.ones(d, b, dtype=torch.bool))),
        Case("a sequence without any token", args=(3 * draw.normal(e, t, d), empty), group="edge"),
        Case(
            "the first sequence is without any token",
            args=(3 * draw.normal(b, t, d), first),
            group="edge",
        ),
        Case(
            "gradients where a sequence has no token",
            args=(draw.normal(b, t, e), first),
            group="edge",
            gradients=True,
        ),
        Case("no token in any sequence", args=(draw.normal(e, t, d), none), group="edge"),
        Case(
            "sequences of one token, some of them empty",
            args=(draw.normal(b, 1, d), first[:, :1]),
            group="edge",
        ),
        Case("sequences of two tokens", args=(draw.normal(b, 2, d), draw.mask(b, 2)), group="edge"),
        Case(
            "zeros among the real tokens",
            args=(F.relu(draw.normal(e, t, b)), draw.mask(e, t)),
            group="edge",
        ),
        Case(
            "one token left of each",
            args=(draw.normal(t, d, e), torch.arange(d) < torch.ones(t, 1)),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="masked_mean",
    points=3,
    section="One vector for a sequence",
    reference=ref.masked_mean,
    cases=cases,
    properties=(no_nan(),),
)

EXERCISE.misconception(
    "mask-ignored",
    "Padding is averaged with the rest",
    "You average over all positions. The more padding, the less is left of the sentence: the same "
    "sentence gets another vector in another batch.",
    lambda x, mask: x.mean(1),
)


def summed(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask[..., None]).sum(1)


EXERCISE.misconception(
    "divided-by-the-length",
    "Zeros count as tokens",
    "You set padding to zero, but still divide by the number of all positions. How many tokens "
    "were added up, row by row?",
    lambda x, mask: summed(x, mask) / x.shape[1],
)

EXERCISE.misconception(
    "not-divided",
    "A sum is not a mean",
    "You add up the right positions and do not divide: long sentences get long vectors.",
    summed,
)

EXERCISE.misconception(
    "inverted",
    "The mean of the padding",
    "You average the positions where the mask is False. True means: this token counts.",
    lambda x, mask: ref.masked_mean(x, ~mask),
)

EXERCISE.misconception(
    "empty-row",
    "0 divided by 0",
    "A sequence without any token gives NaN. The text asks for zeros there: what may the divisor "
    "never be?",
    lambda x, mask: summed(x, mask) / mask.sum(1, keepdim=True),
)

EXERCISE.misconception(
    "nan-gradient",
    "The gradient of an empty sequence is NaN",
    "Your values are right: for a sequence without any token you divide 0 by 0 and put a 0 in the "
    "place of the NaN. But the gradient goes back through the division and is NaN there, and one "
    "such sequence ruins all weights. The divisor itself must never be 0.",
    lambda x, mask: (summed(x, mask) / mask.sum(1, keepdim=True)).nan_to_num(),
    lambda x, mask: (summed(x, mask) / mask.sum(1, keepdim=True)).masked_fill(
        ~mask.any(1, keepdim=True), 0
    ),
)

EXERCISE.misconception(
    "count-plus-one",
    "One too many in the divisor",
    "You add 1 to every count. That saves the empty sequence, and makes all others too small.",
    lambda x, mask: summed(x, mask) / (mask.sum(1, keepdim=True) + 1),
)

EXERCISE.misconception(
    "one-count-for-all",
    "One count for the whole batch",
    "You divide by the number of real tokens in the whole batch. Each sequence has its own.",
    lambda x, mask: summed(x, mask) / mask.sum().clamp(min=1),
    lambda x, mask: summed(x, mask) / mask.sum(),
)

EXERCISE.misconception(
    "sentences-mixed",
    "All sentences in one mean",
    "`x[mask]` lines up the real tokens of all sequences; their mean is one vector for the whole "
    "batch. The text asks for one per sequence.",
    lambda x, mask: x[mask].mean(0),
)

EXERCISE.misconception(
    "axis-kept",
    "A time axis of length one is left",
    "Your result has shape (B, 1, D), the text asks for (B, D).",
    lambda x, mask: ref.masked_mean(x, mask)[:, None],
)


def maximum(x: Tensor, mask: Tensor) -> Tensor:
    return x.masked_fill(~mask[..., None], -torch.inf).amax(1)


@EXERCISE.misconception(
    "maximum",
    "The maximum, not the mean",
    "You take the largest value of each feature. That is a pooling, too, but the text asks for the "
    "mean.",
    maximum,
)
def max_zero(x: Tensor, mask: Tensor) -> Tensor:
    return maximum(x, mask).masked_fill(~mask.any(1, keepdim=True), 0)


@EXERCISE.misconception(
    "last-token",
    "One token instead of the mean",
    "You pick the last real token. That is how recurrent models are read out; the text asks for "
    "the "
    "mean of all of them.",
)
def last_token(x: Tensor, mask: Tensor) -> Tensor:
    return x[torch.arange(len(x)), mask.sum(1) - 1]


EXERCISE.misconception(
    "first-token",
    "One token instead of the mean",
    "You pick the first token. That is how a model with a CLS token is read out; the text asks "
    "for the "
    "mean of all of them.",
    lambda x, mask: x[:, 0],
)


@EXERCISE.misconception(
    "zeros-skipped",
    "A zero is not padding",
    "You count the entries that are not 0. A feature of a real token may well be 0, after a ReLU "
    "half of them are: count tokens by the mask.",
)
def nonzero(x: Tensor, mask: Tensor) -> Tensor:
    kept = x * mask[..., None]
    return kept.sum(1) / (kept != 0).sum(1).clamp(min=1)


EXERCISE.misconception(
    "features-averaged",
    "The wrong axis",
    "You average over the features: one number per token is left. The text asks for one vector per "
    "sequence.",
    lambda x, mask: (x * mask[..., None]).mean(-1),
)


def adds_axis(tree: ast.AST) -> bool:
    """Is there an indexing with None, such as mask[..., None]?"""
    found = (node.slice for node in ast.walk(tree) if isinstance(node, ast.Subscript))
    parts = (
        part
        for index in found
        for part in (index.elts if isinstance(index, ast.Tuple) else [index])
    )
    return any(isinstance(part, ast.Constant) and part.value is None for part in parts)


@EXERCISE.misconception(
    "mask-without-an-axis",
    "The mask meets the wrong axis",
    "x is (B, T, D), the mask (B, T): lined up from the right, T meets D. Give the mask one more "
    "axis.",
    syntax=lambda tree: not syntax.uses(tree, "unsqueeze") and not adds_axis(tree),
)
def no_axis(x: Tensor, mask: Tensor) -> Tensor:
    return (x * mask).sum(1) / mask.sum(1)
