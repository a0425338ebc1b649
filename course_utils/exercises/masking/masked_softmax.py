"""Masked softmax: `masked_softmax(scores, mask)`.

(..., T, S), bool broadcastable to it -> weights (..., T, S).
"""

import ast
import math
from collections.abc import Callable

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import (
    no_nan,
    right_while_small,
    rows_sum_to_one,
    zero_where_masked,
)


def cases(draw: Draw) -> list[Case]:
    b, h, t, s = draw.sizes(4, low=3, high=7)
    loud = draw.normal(t, s)
    hidden = draw.mask(t, s)
    loud = torch.where(hidden, loud, loud + 200)  # what is masked scores highest by far
    empty = draw.mask(b, t, s)
    empty[0, 1], empty[b - 1, t - 1] = False, False
    return [
        Case(
            "the example of the text",
            args=(
                torch.tensor([[math.log(3), 0.0, 9.0], [5.0, 6.0, 7.0]]),
                torch.tensor([[True, True, False], [False, True, True]]),
            ),
        ),
        Case(f"{t} queries, {s} keys", args=(draw.normal(t, s), draw.mask(t, s))),
        Case("valid scores near -50", args=(draw.normal(t, s) - 50, draw.mask(t, s))),
        Case("one mask for the whole batch", args=(draw.normal(b, h, t, s), draw.mask(t, s))),
        Case(
            "padding: one mask for all queries of a sentence",
            args=(draw.normal(b, t, s), draw.mask(b, 1, s)),
        ),
        Case("as many queries as keys", args=(draw.normal(b, s, s), draw.mask(s, s))),
        Case("gradients", args=(draw.normal(b, t, s), draw.mask(b, t, s)), gradients=True),
        Case(
            "nothing masked",
            args=(draw.normal(t, s), torch.ones(t, s, dtype=torch.bool)),
            group="edge",
        ),
        Case(
            "a row with nothing to attend to",
            args=(torch.tensor([[5.0, 6.0]]), torch.tensor([[False, False]])),
            group="edge",
        ),
        Case(
            "two rows with nothing to attend to",
            args=(draw.normal(b, t, s), empty),
            gradients=True,
            group="edge",
        ),
        Case(
            "nothing to attend to at all",
            args=(draw.normal(2, s), torch.zeros(2, s, dtype=torch.bool)),
            group="edge",
        ),
        Case(
            "valid scores near -300", args=(draw.normal(t, s) - 300, draw.mask(t, s)), group="edge"
        ),
        Case(
            "valid scores near +300", args=(draw.normal(t, s) + 300, draw.mask(t, s)), group="edge"
        ),
        Case(
            "valid scores near -1000",
            args=(-draw.uniform(t, s, low=997, high=1000), draw.mask(t, s)),
            group="edge",
        ),
        Case(
            "valid scores near +1000",
            args=(draw.uniform(t, s, low=997, high=1000), draw.mask(t, s)),
            group="edge",
        ),
        Case("what is masked scores highest by far", args=(loud, hidden), group="edge"),
        Case(
            "what is masked is near +900, the rest near -900",
            args=(torch.where(hidden, -900.0, 900.0) + draw.normal(t, s), hidden),
            group="edge",
        ),
    ]


EMPTY_ROW = "A row with nothing to attend to"

EXERCISE = Exercise(
    name="masked_softmax",
    points=4,
    section="Minus infinity, not zero",
    reference=ref.masked_softmax,
    returns=("weights (..., T, S)",),
    cases=cases,
    properties=(rows_sum_to_one(0, zero_rows=True), no_nan(), zero_where_masked(0)),
    picture=weights_picture(0),
)

EXERCISE.misconception(
    "zero-score",
    "A score of 0 is not a weight of 0",
    "You set masked scores to 0. But exp(0) = 1: a score of 0 is an ordinary score, and where the "
    "valid ones are negative even the best. Which score has the exponential 0?",
    lambda scores, mask: (scores * mask).softmax(-1),
)


def filled(value: float) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda scores, mask: scores.masked_fill(~mask, value).softmax(-1)


def zero_if_empty(value: float) -> Callable[[Tensor, Tensor], Tensor]:
    """The same with zeros for what is masked: a row with nothing to attend to is right."""
    return lambda scores, mask: filled(value)(scores, mask) * mask


EXERCISE.misconception(
    "sign-lost",
    "A tiny positive number",
    "You fill with 1e-9 (a lost minus of -1e9?). That is a score of practically 0, whose "
    "exponential is 1: nothing has been masked.",
    filled(1e-9),
    syntax=lambda tree: any(
        isinstance(n, ast.Constant) and isinstance(n.value, float) and 0 < n.value < 1e-3
        for n in ast.walk(tree)
    ),
)

EXERCISE.misconception(
    "fill-not-low-enough",
    "The fill is not low enough",
    "Your fill is low, but not low enough: scores can be lower. Where all valid scores are near "
    "-50, a masked -10 wins. Nothing that is filled in may ever compete.",
    *(filled(value) for value in (-10.0, -20.0, -50.0, -99.0, -100.0, -500.0, -999.0, -1000.0)),
    *(zero_if_empty(value) for value in (-10.0, -50.0, -100.0, -500.0, -999.0, -1000.0)),
)


def penalised(value: float) -> Callable[[Tensor, Tensor], Tensor]:
    def variant(scores: Tensor, mask: Tensor) -> Tensor:
        return (scores + value * (~mask)).softmax(-1) * mask.any(-1, keepdim=True)

    return variant


EXERCISE.misconception(
    "fill-not-low-enough",
    "The penalty is not large enough",
    "You add a penalty to what is masked. It is large, but a forbidden score can lie higher above "
    "the allowed ones than that. Nothing that is masked may ever compete.",
    *(penalised(value) for value in (-100.0, -500.0, -999.0, -1000.0)),
)


@EXERCISE.misconception(
    "not-renormalised",
    "The other weights no longer sum to one",
    "You set weights to 0 after the softmax. What they had is missing now: your rows sum to less "
    "than one. The masked keys must be out of the competition *before* it starts.",
)
def zeroed_after(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.softmax(-1) * mask


@EXERCISE.misconception(
    "renormalised-after",
    "0 divided by 0",
    "Removing weights after the softmax and dividing by what is left is right on paper. But where "
    "the masked keys had all the weight, or nothing may be attended to, 0 / 0 is NaN.",
    section=EMPTY_ROW,
)
def renormalised(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True)


@EXERCISE.misconception(
    "renormalised-after",
    "Too little is left to divide",
    "Removing weights after the softmax and dividing by what is left is right on paper. But where "
    "a masked key scored far higher than all others, these have rounded to 0, and no division "
    "brings them back.",
)
def renormalised_safely(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)


EXERCISE.misconception(
    "inverted",
    "True and False swapped",
    "You mask where the mask is True. Here True means *may attend* (in `nn.MultiheadAttention` it "
    "is the other way round).",
    lambda scores, mask: ref.masked_softmax(scores, ~mask),
)

EXERCISE.misconception(
    "inverted",
    "True and False swapped, and NaN",
    "You mask where the mask is True. Here True means *may attend* (in `nn.MultiheadAttention` it "
    "is the other way round). Rows with nothing left also give NaN.",
    lambda scores, mask: scores.masked_fill(mask, -torch.inf).softmax(-1),
)


@EXERCISE.misconception(
    "zero-times-infinity",
    "0 times infinity",
    "You multiply a mask of zeros and ones by -inf. Where the mask is 0 that is 0 · inf = NaN, "
    "and one NaN spoils its row. Fill in, do not multiply.",
)
def times_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + (~mask).to(scores.dtype) * -torch.inf).softmax(-1)


EXERCISE.misconception(
    "mask-ignored",
    "The mask has no effect",
    "Your weights do not depend on the mask. Did you call `masked_fill` without keeping what it "
    "returns? It gives a new tensor (the one with an underscore works in place).",
    lambda scores, mask: scores.softmax(-1),
)

EXERCISE.misconception(
    "empty-row-nan",
    "A row with nothing to attend to gives NaN",
    "Where a whole row is masked, all scores are -inf, and softmax divides 0 by 0. The text says "
    "what such a row must be. One NaN is enough to spoil every weight of a network in the next "
    "step.",
    filled(-torch.inf),
    section=EMPTY_ROW,
)

EXERCISE.misconception(
    "empty-row-uniform",
    "A row with nothing to attend to attends to everything",
    "With a large negative number in place of every score, softmax shares out equally: the row "
    "attends to everything that was forbidden. The text asks for zeros; the lecture has a section "
    "on such rows.",
    filled(-1e9),
    lambda scores, mask: (scores + (~mask) * -1e9).softmax(-1),
    section=EMPTY_ROW,
)


@EXERCISE.misconception(
    "nan-gradient",
    "NaN on the way back",
    "Your weights are right, also in a row with nothing to attend to. But the NaN that you replace "
    "there comes back in the gradient: 0 times NaN is NaN, and one such row spoils every weight of "
    "a network. Fill the scores (`masked_fill`) instead of adding -inf to them: what was filled "
    "in has no gradient.",
    section=EMPTY_ROW,
)
def hidden_nan(scores: Tensor, mask: Tensor) -> Tensor:
    weights = (scores + mask.float().log()).softmax(-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


@EXERCISE.misconception(
    "masks-queries",
    "Queries are masked instead of keys",
    "You apply the mask to the wrong axis: rows are queries, columns are keys. A padded word must "
    "disappear as a *column*.",
)
def turned(scores: Tensor, mask: Tensor) -> Tensor:
    return ref.masked_softmax(scores, mask.mT)


overflow = EXERCISE.misconception(
    "overflow",
    "exp overflows",
    "For scores of several hundred your exponentials are infinite (or all 0). Subtract the "
    "maximum of the valid scores first, or let softmax do it.",
)


@overflow
def unstable(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.exp() * mask
    return (weights / weights.sum(-1, keepdim=True)).nan_to_num(0.0)


@overflow
def unstable_filled(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.masked_fill(~mask, -torch.inf).exp()
    return (weights / weights.sum(-1, keepdim=True)).nan_to_num(0.0)


@EXERCISE.misconception(
    "nothing-to-share",
    "0 divided by 0",
    "Exponentials times the mask, divided by their sum: right for ordinary rows. But a row "
    "without any True has the sum 0, and 0 / 0 is NaN; and for scores of several hundred the "
    "exponentials themselves are infinite or 0. The text says what an empty row must be, and "
    "subtracting the same number from all scores of a row changes nothing in its weights.",
    section=EMPTY_ROW,
)
def exponentials_shared(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.exp() * mask
    return weights / weights.sum(-1, keepdim=True)


def epsilon_in_the_sum(tree: ast.AST) -> bool:
    """A tiny number beside exponentials from which no maximum was subtracted."""
    tiny = any(
        isinstance(n, ast.Constant) and isinstance(n.value, float) and 0 < n.value < 1e-3
        for n in ast.walk(tree)
    )
    return (
        tiny
        and bool(syntax.calls(tree, "exp"))
        and not syntax.uses(tree, "max", "amax", "logsumexp")
    )


EXERCISE.misconception(
    "epsilon-in-the-sum",
    "An epsilon larger than the sum",
    "You keep the sum from being 0 by a small number. But where all valid scores are near -50, "
    "the sum itself is about 1e-21: your small number is by far the larger part of it, and the "
    "weights vanish. Make the sum large instead, by subtracting the largest *allowed* score of "
    "each row before `exp`.",
    syntax=epsilon_in_the_sum,
    symptom=right_while_small(ref.masked_softmax, 10),
)

EXERCISE.misconception(
    "softmax-over-queries",
    "Softmax over the queries",
    "Your columns sum to one. The keys compete for a query: softmax runs along the last axis.",
    lambda scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(-2).nan_to_num(0.0),
)

EXERCISE.misconception(
    "scores-returned",
    "Scores instead of weights",
    "You return the masked scores. The softmax is missing.",
    lambda scores, mask: scores.masked_fill(~mask, -torch.inf),
)

EXERCISE.misconception(
    "mask-added",
    "The mask is added",
    "You add the mask to the scores: True counts as 1 and False as 0, which moves scores by one "
    "but forbids nothing.",
    lambda scores, mask: (scores + mask).softmax(-1),
)
