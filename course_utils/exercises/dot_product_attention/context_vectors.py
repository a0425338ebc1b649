"""Context vectors: `context_vectors(x)`, (T, D) -> output (T, D), weights (T, T)."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils.exercises.dot_product_attention._shared import Pair, attend, spread, unstable
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import no_nan, rows_sum_to_one
from course_utils.nadaraya_watson import softmax


def cases(draw: Draw) -> list[Case]:
    t, d, n = draw.sizes(3, low=3, high=8)
    twins = draw.normal(t, d, scale=0.6)
    twins[1] = twins[0]
    return [
        Case(f"{t} words of {d} numbers", args=(draw.normal(t, d, scale=0.7),)),
        Case(f"{n} words of {t} numbers", args=(draw.normal(n, t, scale=0.5),)),
        Case("as many words as numbers", args=(draw.normal(d, d, scale=0.6),)),
        Case("gradients", args=(draw.normal(d, n, scale=0.6),), gradients=True),
        Case("a single word", args=(draw.normal(1, d),), group="edge"),
        Case("the same word twice", args=(twins,), group="edge"),
        Case("scores in the hundreds", args=(spread(draw, t, d),), group="edge"),
    ]


EXERCISE = Exercise(
    name="context_vectors",
    points=2,
    section="Weights from similarity",
    reference=ref.context_vectors,
    returns=("output (T, D)", "weights (T, T)"),
    cases=cases,
    properties=(rows_sum_to_one(1), no_nan()),
    picture=weights_picture(1),
)

EXERCISE.misconception(
    "scaled-here",
    "A scale that was not asked for",
    "You divide the scores by √D. Good instinct, and exercise 4 asks for it; this one is "
    "the plain form, so that you can see what goes wrong without a scale.",
    lambda x: attend(x @ x.mT / math.sqrt(x.shape[-1]), x),
)

EXERCISE.misconception(
    "softmax-over-queries",
    "Softmax down the columns",
    "Your columns sum to one instead of your rows. Row i belongs to word i: its weights for all "
    "words must sum to one. Which axis runs along a row?",
    lambda x: attend(x @ x.mT, x, dim=0),
)

EXERCISE.misconception(
    "weights-transposed",
    "The weights are turned round before use",
    "Your weights are right, but the output uses their transpose: each word then collects what "
    "the others *gave* it, and these shares do not sum to one.",
    lambda x: ((w := softmax(x @ x.mT)).mT @ x, w),
)

EXERCISE.misconception(
    "no-softmax",
    "Scores used as weights",
    "You use the dot products themselves as weights. They can be negative and sum to anything; an "
    "average needs weights that are positive and sum to one.",
    lambda x: (x @ x.mT @ x, x @ x.mT),
)


def shares(scores: Tensor) -> Tensor:
    return scores / scores.sum(-1, keepdim=True)


EXERCISE.misconception(
    "no-exponential",
    "Shares of the raw scores",
    "You divide the scores by their sum. With negative scores that gives negative weights, and "
    "the sum may be near 0. Softmax takes exponentials first.",
    lambda x: (shares(x @ x.mT) @ x, shares(x @ x.mT)),
)

EXERCISE.misconception(
    "features-not-words",
    "Similarity between features, not words",
    "You multiply `x.T @ x`: that compares the D columns with each other. The weights must be (T, "
    "T), one row and one column per word.",
    lambda x: (x @ softmax(x.mT @ x), softmax(x.mT @ x)),
    lambda x: attend(x.mT @ x, x),
)


@EXERCISE.misconception(
    "ignores-itself",
    "A word may not look at itself",
    "You give every word weight 0 for itself. Here a word is part of its own context; only unit "
    "01's leave-one-out took the point itself away.",
)
def without_itself(x: Tensor) -> Pair:
    scores = (x @ x.mT).masked_fill(torch.eye(len(x), dtype=torch.bool), -torch.inf)
    weights = softmax(scores)
    return weights @ x, weights


EXERCISE.misconception(
    "cosine",
    "Cosines instead of dot products",
    "You normalise the vectors first. Cosines lie between -1 and 1, so the softmax stays nearly "
    "flat; asked for are plain dot products.",
    lambda x: attend(F.normalize(x, dim=-1) @ F.normalize(x, dim=-1).mT, x),
)

EXERCISE.misconception(
    "distance-scores",
    "Distances instead of dot products",
    "You score by the negative squared distance, as in unit 01. Here similarity is the dot "
    "product, which also rewards length.",
    lambda x: attend(-((x[:, None] - x[None]) ** 2).sum(-1), x),
    lambda x: attend(-((x[:, None] - x[None]) ** 2).sum(-1) / 2, x),
)

EXERCISE.misconception(
    "plain-mean",
    "Every word counts the same",
    "You give every word the same weight: the context of each word is the same mean. The weights "
    "must depend on the words.",
    lambda x: attend(torch.zeros(len(x), len(x)), x),
)


@EXERCISE.misconception(
    "winner-takes-all",
    "The most similar word takes all",
    "You pick the most similar word instead of a weighted mean. That is hard attention: no "
    "gradient reaches the scores through an argmax.",
)
def hard(x: Tensor) -> Pair:
    weights = F.one_hot((x @ x.mT).argmax(-1), len(x)).to(x.dtype)
    return weights @ x, weights


EXERCISE.misconception(
    "one-softmax-for-all",
    "One softmax over the whole matrix",
    "Your whole matrix sums to one. Each row is its own distribution: the softmax runs along "
    "the last axis only.",
    lambda x: ((w := softmax((x @ x.mT).flatten()).reshape(len(x), -1)) @ x, w),
)

EXERCISE.misconception(
    "overflow",
    "exp overflows",
    "For large scores your exponentials are infinite, and infinity divided by infinity is NaN. "
    "Subtract the maximum of the row first, or use a softmax that does (unit 01).",
    lambda x: (unstable(x @ x.mT) @ x, unstable(x @ x.mT)),
)

EXERCISE.misconception(
    "weights-missing",
    "The weights are missing",
    "You return the context vectors alone. Return both, output first: the weights say where each "
    "word looked.",
    lambda x: ref.context_vectors(x)[0],
)

EXERCISE.misconception(
    "only-weights",
    "Only the weights",
    "You return the weights alone. They still have to be used: each context vector is a weighted "
    "sum of the rows of `x`.",
    lambda x: ref.context_vectors(x)[1],
)
