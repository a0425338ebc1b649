"""What several exercises of this unit have in common."""

import math

import torch.nn.functional as F
from torch import Tensor

from course_utils.judging.exercise import Draw, Forbidden
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
