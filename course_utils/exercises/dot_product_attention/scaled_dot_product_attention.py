"""Scaled dot-product attention: `scaled_dot_product_attention(query, key, value)`.

(..., T, D), (..., S, D), (..., S, Dv) -> output (..., T, Dv), weights (..., T, S).
"""

import math

import torch
from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils.exercises.dot_product_attention._shared import (
    NO_LIBRARY_ATTENTION,
    Pair,
    add_wrong_scales,
    dots,
    scored,
    spread,
    unstable,
    weighed,
)
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import no_nan, rows_sum_to_one
from course_utils.nadaraya_watson import softmax

BY_HAND = (  # one query, two keys: the scores are ln 3 and 0
    torch.tensor([[1.0, 0, 0, 0]]),
    torch.tensor([[2 * math.log(3), 0, 0, 0], [0.0, 1, 0, 0]]),
)


def cases(draw: Draw) -> list[Case]:
    b, h, t, s, d, dv = draw.sizes(6, low=2, high=8)

    def data(*leading: int, t: int, s: int, d: int, dv: int) -> tuple[Tensor, Tensor, Tensor]:
        return (
            draw.normal(*leading, t, d),
            draw.normal(*leading, s, d),
            draw.normal(*leading, s, dv),
        )

    far = spread(draw, s, d)

    return [
        Case("the example of the text", args=(*BY_HAND, torch.tensor([[10.0], [20.0]]))),
        Case(
            f"{t} queries, {s} keys of size {d}, values of size {dv}",
            args=data(t=t, s=s, d=d, dv=dv),
        ),
        Case(f"a batch of {b}", args=data(b, t=t, s=s, d=d, dv=dv)),
        Case(f"a batch of {b} with {h} heads", args=data(b, h, t=s, s=t, d=dv, dv=d)),
        Case("all sizes equal", args=data(t, t=t, s=t, d=t, dv=t)),
        Case("gradients", args=data(h, t=d, s=t, d=s, dv=b), gradients=True),
        Case("one query", args=data(b, t=1, s=s, d=d, dv=dv), group="edge"),
        Case("one key", args=data(b, t=t, s=1, d=d, dv=dv), group="edge"),
        Case("queries and keys of one number", args=data(t=t, s=s, d=1, dv=dv), group="edge"),
        Case(
            "scores in the hundreds",
            args=(
                draw.normal(b, t, 1).sign() * far[:1],
                far.expand(b, s, d),
                draw.normal(b, s, dv),
            ),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="scaled_dot_product_attention",
    points=4,
    section="Scaled dot-product attention",
    reference=ref.scaled_dot_product_attention,
    returns=("output (..., T, Dv)", "weights (..., T, S)"),
    cases=cases,
    properties=(rows_sum_to_one(1), no_nan()),
    picture=weights_picture(1),
    forbidden=(NO_LIBRARY_ATTENTION,),
)

add_wrong_scales(EXERCISE)

EXERCISE.misconception(
    "softmax-over-queries",
    "Softmax over the queries",
    "Your columns sum to one: the queries compete for a key. It must be the keys that compete for "
    "a query, along the last axis.",
    scored(lambda q, k, v: dots(q, k), dim=-2),
)

EXERCISE.misconception(
    "softmax-on-axis-one",
    "Softmax always along axis 1",
    "Axis 1 are the keys of a matrix, but the queries of a batch. Count from the end: the keys "
    "are the last axis of the scores.",
    scored(lambda q, k, v: dots(q, k), dim=1),
)

EXERCISE.misconception(
    "softmax-on-axis-zero",
    "Softmax along axis 0",
    "You normalise along the first axis: over the queries of a matrix, over the batch otherwise. "
    "The keys are the last axis of the scores.",
    scored(lambda q, k, v: dots(q, k), dim=0),
)

EXERCISE.misconception(
    "softmax-twice",
    "Softmax twice",
    "You take a softmax of a softmax: the weights come out almost equal, because their inputs lie "
    "between 0 and 1.",
    weighed(lambda q, k: softmax(softmax(dots(q, k)))),
)

EXERCISE.misconception(
    "no-softmax",
    "Scores used as weights",
    "Your weights are the scores themselves: some are negative, and they sum to anything. Softmax "
    "is missing.",
    weighed(dots),
)

EXERCISE.misconception(
    "transposes-every-axis",
    "`.T` turns round every axis",
    "`.T` reverses all axes, the batch included; that is the transpose only for a matrix. Swap "
    "the last two axes: `.mT` or `.transpose(-2, -1)`.",
    scored(lambda q, k, v: q @ k.permute(*reversed(range(k.dim()))) / math.sqrt(k.shape[-1])),
    syntax=lambda tree: syntax.uses(tree, "T", "permute", "reversed"),  # else any error would fit
)

EXERCISE.misconception(
    "keys-against-queries",
    "Keys and queries the wrong way round",
    "You multiply key by query, so your rows are keys and the softmax runs over queries. Each row "
    "belongs to one query.",
    scored(lambda q, k, v: dots(k, q)),
)

EXERCISE.misconception(
    "weights-transposed",
    "The weights are turned round before use",
    "Your weights are right, but the output uses their transpose, which fits only if there are as "
    "many queries as keys: (T, S) @ (S, Dv) needs no transpose.",
    lambda q, k, v: ((w := softmax(dots(q, k))).mT @ v, w),
)

EXERCISE.misconception(
    "keys-averaged",
    "The keys are averaged, not the values",
    "Your output is a mean of the keys. Keys say where to look; what is brought back from there "
    "are the values.",
    lambda q, k, v: ((w := softmax(dots(q, k))) @ k, w),
)

EXERCISE.misconception(
    "values-as-keys",
    "The queries are compared with the values",
    "You score queries against values. Their sizes need not even agree: the scores come from "
    "query and key.",
    scored(lambda q, k, v: q @ v.mT / math.sqrt(k.shape[-1])),
)

EXERCISE.misconception(
    "cosine",
    "Cosines instead of scaled dot products",
    "You normalise the vectors, so that only their angle counts. In scaled dot-product attention "
    "their length counts too.",
    scored(lambda q, k, v: ref.cosine_scores(q, k)),
)


def elementwise(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    weights = softmax(query * key / math.sqrt(key.shape[-1]))
    return weights * value, weights


def paired_off(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    weights = softmax((query * key).sum(-1) / math.sqrt(key.shape[-1]))
    return weights[..., None] * value, weights


for product, variant in (("query * key", elementwise), ("(query * key).sum(-1)", paired_off)):
    EXERCISE.misconception(
        "paired-off",
        "Query i meets key i only",
        f"`{product}` pairs the rows off, and works only if there are as many queries as keys. "
        "Every query meets every key: that is a matrix product.",
        variant,
    )


@EXERCISE.misconception(
    "mixes-the-batch",
    "Sentences of a batch look at each other",
    "You flatten the batch, so that every query sees the keys of all other sentences as well. The "
    "product must keep the leading axes apart.",
)
def whole_batch(query: Tensor, key: Tensor, value: Tensor) -> Pair:
    output, weights = ref.scaled_dot_product_attention(
        query.flatten(0, -2), key.flatten(0, -2), value.flatten(0, -2)
    )
    return output.reshape(*query.shape[:-1], value.shape[-1]), weights


EXERCISE.misconception(
    "overflow",
    "exp overflows",
    "For large scores your exponentials are infinite, and infinity divided by infinity is NaN. "
    "Subtract the maximum of each row first, or use a softmax that does.",
    weighed(lambda q, k: unstable(dots(q, k))),
)

EXERCISE.misconception(
    "only-weights",
    "Only the weights",
    "You return the weights alone. They still have to be multiplied with the values; return "
    "output and weights.",
    lambda q, k, v: softmax(dots(q, k)),
)

EXERCISE.misconception(
    "weights-missing",
    "The weights are missing",
    "You return the output alone. Return both, output first: the weights say where each query "
    "looked.",
    lambda q, k, v: ref.scaled_dot_product_attention(q, k, v)[0],
)

EXERCISE.misconception(
    "scores-returned",
    "The scores instead of the weights",
    "Your output is right, but the second thing you return are the scores, before the softmax.",
    lambda q, k, v: (ref.scaled_dot_product_attention(q, k, v)[0], dots(q, k)),
)
