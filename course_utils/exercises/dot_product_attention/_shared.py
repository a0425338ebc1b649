"""What several exercises of this unit have in common."""

import ast
import math
from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor

from course_utils.judging import syntax
from course_utils.judging.exercise import Draw, Exercise, Forbidden
from course_utils.nadaraya_watson import softmax

Pair = tuple[Tensor, Tensor]


NO_LIBRARY_ATTENTION = Forbidden(
    "Here you write attention yourself: torch's scaled_dot_product_attention and "
    "MultiheadAttention are not allowed. You need a matrix product, a softmax and a second "
    "matrix product.",
    names=(
        "scaled_dot_product_attention",
        "MultiheadAttention",
        "multi_head_attention_forward",
        "flex_attention",
    ),
)


def spread(draw: Draw, count: int, size: int) -> Tensor:
    """(count, size): vectors of one direction and very different lengths, whose scores lie far
    apart, so that rounding cannot matter."""
    direction = F.normalize(draw.normal(size), dim=0)
    return 10.0 * (draw.permutation(count) + 2)[:, None] * direction + 0.01 * draw.normal(
        count, size
    )


def attend(scores: Tensor, value: Tensor, dim: int = -1) -> Pair:
    """The second half of every attention: softmax of the scores, weighted sum of the values."""
    weights = softmax(scores, dim)
    return weights @ value, weights


def unstable(scores: Tensor) -> Tensor:
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def dots(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT / math.sqrt(key.shape[-1])


def scored(
    scores: Callable[[Tensor, Tensor, Tensor], Tensor], dim: int = -1
) -> Callable[[Tensor, Tensor, Tensor], Pair]:
    """Attention with other scores, as a variant."""
    return lambda query, key, value: attend(scores(query, key, value), value, dim)


def weighed(
    weights: Callable[[Tensor, Tensor], Tensor],
) -> Callable[[Tensor, Tensor, Tensor], Pair]:
    """Attention with other weights, as a variant."""
    return lambda query, key, value: ((w := weights(query, key)) @ value, w)


def add_wrong_scales(exercise: Exercise) -> None:
    """Mistakes with the scale of an attention of query, key and value."""
    exercise.misconception(
        "no-scale",
        "The scale is missing",
        "You use the plain dot products. Their spread grows with the size of the keys, so for long "
        "vectors the softmax puts nearly all weight on one key and hardly any gradient comes back. "
        "What are the scores divided by?",
        scored(lambda q, k, v: q @ k.mT),
    )
    exercise.misconception(
        "scale-outside-softmax",
        "The scale stands outside the softmax",
        "You divide the weights, after the softmax. Their rows no longer sum to one, and the "
        "softmax is as peaked as without a scale. Which quantity becomes too large: the weights or "
        "the scores?",
        weighed(lambda q, k: softmax(q @ k.mT) / math.sqrt(k.shape[-1])),
    )
    exercise.misconception(
        "scale-on-output",
        "The output is scaled instead of the scores",
        "You divide the output. That only makes it smaller; the softmax is as peaked as without a "
        "scale. Divide what goes *into* the softmax.",
        lambda q, k, v: ((w := softmax(q @ k.mT)) @ v / math.sqrt(k.shape[-1]), w),
    )
    exercise.misconception(
        "divides-by-d",
        "Divided by d, not by its root",
        "You divide by the size of the keys. The variance of a dot product grows with d, its "
        "standard deviation with √d: divided by d the scores shrink to nothing.",
        scored(lambda q, k, v: q @ k.mT / k.shape[-1]),
    )
    exercise.misconception(
        "scaled-by-the-number-of-keys",
        "Scaled by the number of keys",
        "You take the root of the number of keys S. The dot product sums over the *features*: how "
        "many terms has that sum?",
        scored(lambda q, k, v: q @ k.mT / math.sqrt(k.shape[-2])),
    )
    exercise.misconception(
        "scaled-by-the-number-of-queries",
        "Scaled by the number of queries",
        "You take the root of the number of queries T. The dot product sums over the *features*: "
        "how many terms has that sum?",
        scored(lambda q, k, v: q @ k.mT / math.sqrt(q.shape[-2])),
    )
    exercise.misconception(
        "scaled-by-the-size-of-the-values",
        "Scaled by the size of the values",
        "You take the root of Dv. The values have no part in the scores; the size of queries and "
        "keys counts.",
        scored(lambda q, k, v: q @ k.mT / math.sqrt(v.shape[-1])),
    )
    exercise.misconception(
        "fixed-axis-size",
        "The size is taken from axis 1",
        "`shape[1]` is the feature size of a matrix, but the number of keys in a batch. Count from "
        "the end: the features are the last axis whatever comes before.",
        scored(lambda q, k, v: q @ k.mT / math.sqrt(k.shape[1])),
    )
    exercise.misconception(
        "scaled-twice",
        "Scaled twice",
        "You divide by √d on the queries *and* on the keys, which divides the scores by d. One "
        "division is enough (or d^(1/4) on each).",
        scored(lambda q, k, v: (q / math.sqrt(q.shape[-1])) @ (k / math.sqrt(k.shape[-1])).mT),
        syntax=lambda tree: (
            len(syntax.calls(tree, "sqrt")) > 1 or syntax.has_operator(tree, ast.Pow)
        ),
    )
    exercise.misconception(
        "multiplies-by-the-scale",
        "Multiplied instead of divided",
        "You multiply the scores by √d: they were too large already. The scale is there to make "
        "them smaller.",
        scored(lambda q, k, v: q @ k.mT * math.sqrt(k.shape[-1])),
    )
