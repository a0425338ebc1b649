"""Self-attention: `self_attention(x, w_q, w_k, w_v)`.

(B, T, D), (D, Dk), (D, Dk), (D, Dv) -> output (B, T, Dv), weights (B, T, T).
"""

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils.exercises.dot_product_attention._shared import NO_LIBRARY_ATTENTION, Pair, attend
from course_utils.exercises.dot_product_attention.scaled_dot_product_attention import (
    EXERCISE as ATTENTION,
)
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import rows_sum_to_one


def cases(draw: Draw) -> list[Case]:
    b, t, d, dk, dv = draw.sizes(5, low=2, high=7)

    def data(b: int, t: int, d: int, dk: int, dv: int) -> tuple[Tensor, ...]:
        scale = 1.2 / math.sqrt(d)  # projected vectors of about unit size
        return (
            draw.normal(b, t, d),
            draw.normal(d, dk, scale=scale),
            draw.normal(d, dk, scale=scale),
            draw.normal(d, dv, scale=scale),
        )

    return [
        Case(f"{b} sentences of {t} words", args=data(b, t, d, dk, dv)),
        Case(f"{t} sentences of {b} words", args=data(t, b, dk, dv, d)),
        Case("all vectors of one size", args=data(b, t, d, d, d)),
        Case(
            "gradients of x and of the three matrices", args=data(b, d, t, dv, dk), gradients=True
        ),
        Case("sentences of one word", args=data(b, 1, d, dk, dv), group="edge"),
        Case("a single sentence", args=data(1, t, d, dk, dv), group="edge"),
    ]


EXERCISE = Exercise(
    name="self_attention",
    points=3,
    section="Self-attention and cross-attention",
    reference=ref.self_attention,
    returns=("output (B, T, Dv)", "weights (B, T, T)"),
    cases=cases,
    properties=(rows_sum_to_one(1),),
    picture=weights_picture(1),
    forbidden=(NO_LIBRARY_ATTENTION,),
)

EXERCISE.misconception(
    "roles-swapped",
    "Query and key swapped",
    "Your queries come from w_k and your keys from w_q: the scores are the transpose of the right "
    "ones, so *being looked at* is taken for *looking*.",
    lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_k, x @ w_q, x @ w_v),
)

EXERCISE.misconception(
    "values-from-the-key-matrix",
    "The values come from w_k",
    "You project the values with the key matrix. The values have their own matrix.",
    lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_k),
)

EXERCISE.misconception(
    "values-not-projected",
    "The values are not projected",
    "You average the inputs themselves. What a word gives to others is a third view of it: x "
    "times w_v.",
    lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q, x @ w_k, x),
)


@EXERCISE.misconception(
    "projected-afterwards-twice",
    "The values are projected twice",
    "You multiply by w_v before and after the weighted sum. Once is enough; before or after makes "
    "no difference.",
)
def projected_twice(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> Pair:
    output, weights = ref.self_attention(x, w_q, w_k, w_v)
    return output @ w_v, weights


EXERCISE.misconception(
    "one-matrix-for-both",
    "One matrix for queries and keys",
    "You project queries and keys with the same matrix. Then a word "
    "scores another exactly as that one scores it; two matrices are there so that seeking and "
    "offering can differ.",
    lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q, x @ w_q, x @ w_v),
)

EXERCISE.misconception(
    "not-projected",
    "No projections",
    "You attend with x itself as query and key; w_q and w_k are not used. Then there is nothing "
    "to learn about who looks at whom.",
    lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x, x, x @ w_v),
)

EXERCISE.misconception(
    "queries-not-projected",
    "The queries are not projected",
    "You use x itself as the queries. All three views are projections: queries by w_q.",
    lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x, x @ w_k, x @ w_v),
)

EXERCISE.misconception(
    "linear-convention",
    "The matrices are transposed",
    "You multiply by the transposed matrices. `nn.Linear` stores its weight as (out, in) and "
    "transposes it; here the matrices are (in, out), and `x @ w` is all it takes.",
    lambda x, w_q, w_k, w_v: ref.scaled_dot_product_attention(x @ w_q.T, x @ w_k.T, x @ w_v.T),
)

EXERCISE.misconception(
    "scaled-by-the-model-size",
    "Scaled by the size of x",
    "You divide by √D, the size of the inputs. The dot product is taken between *projected* "
    "vectors: the size of the keys, Dk, counts.",
    lambda x, w_q, w_k, w_v: attend((x @ w_q) @ (x @ w_k).mT / math.sqrt(x.shape[-1]), x @ w_v),
)


def projected(
    attention: Callable[[Tensor, Tensor, Tensor], Any],
) -> Callable[[Tensor, Tensor, Tensor, Tensor], Any]:
    """Self-attention with another attention inside, as a variant."""
    return lambda x, w_q, w_k, w_v: attention(x @ w_q, x @ w_k, x @ w_v)


EXERCISE.borrow(
    ATTENTION,
    projected,
    but=(
        "fixed-axis-size",
        "softmax-on-axis-zero",
        "softmax-on-axis-one",
        "cosine",
        "paired-off",
        "values-as-keys",
    ),
)
