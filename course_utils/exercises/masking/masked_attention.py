"""Attention with a mask: `masked_attention(query, key, value, mask=None)`.

(..., T, D), (..., S, D), (..., S, Dv), mask for (..., T, S) -> output (..., T, Dv), weights
(..., T, S).
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils.exercises.masking._shared import add_mask_mistakes
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import no_nan, rows_sum_to_one


def cases(draw: Draw) -> list[Case]:
    b, h, t, s, d, dv = draw.sizes(6, low=2, high=8)

    def data(*leading: int, t: int = t, s: int = s) -> tuple[Tensor, Tensor, Tensor]:
        return (
            draw.normal(*leading, t, d),
            draw.normal(*leading, s, d),
            draw.normal(*leading, s, dv),
        )

    def low(*leading: int) -> tuple[Tensor, Tensor, Tensor]:
        """Queries and keys that point away from each other: scores near -50."""
        query, key, value = data(*leading)
        away = math.sqrt(50 / math.sqrt(d))
        return query * 0.3 + away, key * 0.3 - away, value

    def far_apart(sign: float) -> tuple[Tensor, Tensor, Tensor]:
        """Scores that lie 400 apart, all of one sign: softmax picks one key, so that rounding
        cannot matter."""
        direction = torch.nn.functional.normalize(draw.normal(d), dim=0)
        lengths = 400.0 * math.sqrt(d) * (draw.permutation(s) + 1)
        return (
            sign * direction.expand(b, t, d),
            (lengths[:, None] * direction).expand(b, s, d),
            draw.normal(b, s, dv),
        )

    empty = draw.mask(b, t, s)
    empty[0, 0], empty[b - 1] = False, False
    return [
        Case("no mask", args=data(b), gradients=True),
        Case(f"{t} queries, {s} keys", args=(*data(), draw.mask(t, s))),
        Case("valid scores near -50", args=(*low(b), draw.mask(b, t, s))),
        Case("causal self-attention", args=(*data(b, t=s), ref.causal_mask(s))),
        Case(
            "padding: one mask for all queries of a sentence",
            args=data(b),
            kwargs={"mask": draw.mask(b, 1, s)},
            gradients=True,
        ),
        Case("a batch with heads", args=(*data(b, h), draw.mask(b, 1, t, s))),
        Case("gradients", args=(*data(b), draw.mask(b, t, s)), gradients=True),
        Case(
            "a query, then a sentence, with nothing to attend to",
            args=(*data(b), empty),
            gradients=True,
            group="edge",
        ),
        Case(
            "scores from -400 down to -3000",
            args=(*far_apart(-1.0), draw.mask(b, t, s)),
            group="edge",
        ),
        Case(
            "scores from 400 up to 3000", args=(*far_apart(1.0), draw.mask(b, t, s)), group="edge"
        ),
        Case(
            "everything allowed", args=(*data(b), torch.ones(t, s, dtype=torch.bool)), group="edge"
        ),
        Case("one key", args=(*data(b, s=1), torch.ones(b, t, 1, dtype=torch.bool)), group="edge"),
    ]


EXERCISE = Exercise(
    name="masked_attention",
    points=4,
    section="Attention with a mask",
    reference=ref.masked_attention,
    returns=("output (..., T, Dv)", "weights (..., T, S)"),
    cases=cases,
    properties=(rows_sum_to_one(1, zero_rows=True), no_nan()),
    picture=weights_picture(1),
    tolerance=3e-5,
    forbidden=(
        Forbidden(
            "Here you write attention yourself: torch's scaled_dot_product_attention and "
            "MultiheadAttention are not allowed.",
            names=(
                "scaled_dot_product_attention",
                "MultiheadAttention",
                "multi_head_attention_forward",
                "flex_attention",
            ),
        ),
    ),
)


Pair = tuple[Tensor, Tensor]


def dots(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT / math.sqrt(key.shape[-1])


def weighing(
    softmax: Callable[[Tensor, Tensor], Tensor], scores: Callable[[Tensor, Tensor], Tensor] = dots
) -> Callable[..., Pair]:
    """Attention with another masked softmax or other scores, as a variant."""

    def variant(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
        raw = scores(query, key)
        weights = raw.softmax(-1) if mask is None else softmax(raw, mask)
        return weights @ value, weights

    return variant


EXERCISE.misconception(
    "mask-ignored",
    "The mask has no effect",
    "Your result does not depend on the mask. Is it used at all, and is what `masked_fill` "
    "returns kept? (It gives a new tensor.)",
    weighing(lambda scores, mask: scores.softmax(-1)),
)

add_mask_mistakes(EXERCISE, weighing)


EXERCISE.misconception(
    "zero-score",
    "A score of 0 takes part",
    "You set masked scores to 0, and masked weights to 0 after the softmax. But exp(0) = 1: a "
    "score of 0 takes its share in the softmax, and what it took is missing. Which score has the "
    "exponential 0?",
    weighing(lambda scores, mask: (scores * mask).softmax(-1) * mask),
)


@EXERCISE.misconception(
    "masks-values",
    "The values are masked, not the scores",
    "You take the masked keys out of the weighted sum, but not out of the softmax: what they had "
    "is missing, and the weights that you return still show them.",
)
def masks_values(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    weights = dots(query, key).softmax(-1)
    return (weights if mask is None else weights * mask) @ value, weights


@EXERCISE.misconception(
    "weights-before-the-mask",
    "The weights do not show the mask",
    "Your output is right, but the weights that you return are those of an attention without mask.",
)
def output_masked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    """The right output; the weights that are returned do not show the mask."""
    return ref.masked_attention(query, key, value, mask)[0], dots(query, key).softmax(-1)


@EXERCISE.misconception(
    "needs-a-mask",
    "A mask is required",
    "Without a mask (`mask=None`) your answer fails. Nothing is masked then.",
)
def needs_mask(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Pair:
    weights = ref.masked_softmax(dots(query, key), ~~mask)  # TypeError without a mask
    return weights @ value, weights


@EXERCISE.misconception(
    "always-causal",
    "Causal whatever the mask says",
    "You forbid the future even where the mask does not. Who may look at whom is the caller's "
    "decision: an encoder looks both ways.",
)
def always_causal(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    causal = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    return ref.masked_attention(query, key, value, causal if mask is None else causal & mask)


@EXERCISE.misconception(
    "causal-by-default",
    "No mask is taken for a causal one",
    "Where no mask is given you forbid the future. `mask=None` means that nobody is kept from "
    "looking anywhere.",
)
def causal_by_default(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Pair:
    causal = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    return ref.masked_attention(query, key, value, causal if mask is None else mask)


EXERCISE.misconception(
    "no-scale",
    "The scale is missing",
    "The scores are not divided by √D (unit 02).",
    weighing(ref.masked_softmax, lambda q, k: q @ k.mT),
)

EXERCISE.misconception(
    "divides-by-d",
    "Divided by d, not by its root",
    "The scores are divided by D; it should be its root (unit 02).",
    weighing(ref.masked_softmax, lambda q, k: q @ k.mT / k.shape[-1]),
)

EXERCISE.misconception(
    "scaled-by-the-number-of-keys",
    "Scaled by the number of keys",
    "You take the root of the number of keys S. The dot product sums over the *features* (unit "
    "02).",
    weighing(ref.masked_softmax, lambda q, k: q @ k.mT / math.sqrt(k.shape[-2])),
)


@EXERCISE.misconception(
    "scaled-by-the-values",
    "Scaled by the size of the values",
    "You take the root of Dv, the size of the values. The dot product of a query and a key sums "
    "over *their* D features (unit 02); values play no part in it.",
)
def scaled_by_values(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    root = math.sqrt(value.shape[-1])
    return weighing(ref.masked_softmax, lambda q, k: q @ k.mT / root)(query, key, value, mask)


@EXERCISE.misconception(
    "scale-outside-softmax",
    "The scale stands outside the softmax",
    "You divide the weights, after the softmax: their rows no longer sum to one (unit 02).",
)
def outside(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    _, weights = weighing(ref.masked_softmax, lambda q, k: q @ k.mT)(query, key, value, mask)
    weights = weights / math.sqrt(key.shape[-1])
    return weights @ value, weights


EXERCISE.misconception(
    "weights-missing",
    "The weights are missing",
    "You return the output alone. Return both, output first.",
    lambda query, key, value, mask=None: ref.masked_attention(query, key, value, mask)[0],
)
