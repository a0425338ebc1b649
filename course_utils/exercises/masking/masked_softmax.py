"""Masked softmax: `masked_softmax(scores, mask)`.

(..., T, S), bool broadcastable to it -> weights (..., T, S).
"""

import ast
import math

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils.exercises.masking._shared import EMPTY_ROW, add_mask_mistakes, filled
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

add_mask_mistakes(EXERCISE)


def shares(weights: Tensor) -> Tensor:
    return weights / weights.sum(-1, keepdim=True)


def has_a_tiny_number(tree: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Constant) and isinstance(n.value, float) and 0 < n.value < 1e-3
        for n in ast.walk(tree)
    )


EXERCISE.misconception(
    "sign-lost",
    "A tiny positive number",
    "You fill with 1e-9 (a lost minus of -1e9?). That is a score of practically 0, whose "
    "exponential is 1: nothing has been masked.",
    filled(1e-9),
    syntax=has_a_tiny_number,
)

EXERCISE.misconception(
    "zero-score",
    "A score of 0 takes part",
    "You set masked scores to 0, and masked weights to 0 after the softmax. But exp(0) = 1: a "
    "score of 0 takes its share in the softmax, and what it took is missing. Which score has the "
    "exponential 0?",
    lambda scores, mask: (scores * mask).softmax(-1) * mask,
)

EXERCISE.misconception(
    "mask-ignored",
    "The mask has no effect",
    "Your weights do not depend on the mask. Did you call `masked_fill` without keeping what it "
    "returns? It gives a new tensor (the one with an underscore works in place).",
    lambda scores, mask: scores.softmax(-1),
)

EXERCISE.misconception(
    "overflow",
    "exp overflows",
    "For scores of several hundred your exponentials are infinite (or all 0). Subtract the "
    "maximum of the valid scores first, or let softmax do it.",
    lambda scores, mask: shares(scores.exp() * mask).nan_to_num(0.0),
    lambda scores, mask: shares(scores.masked_fill(~mask, -torch.inf).exp()).nan_to_num(0.0),
)

EXERCISE.misconception(
    "nothing-to-share",
    "0 divided by 0",
    "Exponentials times the mask, divided by their sum: right for ordinary rows. But a row "
    "without any True has the sum 0, and 0 / 0 is NaN; and for scores of several hundred the "
    "exponentials themselves are infinite or 0. The text says what an empty row must be, and "
    "subtracting the same number from all scores of a row changes nothing in its weights.",
    lambda scores, mask: shares(scores.exp() * mask),
    section=EMPTY_ROW,
)


def epsilon_in_the_sum(tree: ast.AST) -> bool:
    """A tiny number beside exponentials from which no maximum was subtracted."""
    return (
        has_a_tiny_number(tree)
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
    "scores-returned",
    "Scores instead of weights",
    "You return the masked scores. The softmax is missing.",
    lambda scores, mask: scores.masked_fill(~mask, -torch.inf),
)
