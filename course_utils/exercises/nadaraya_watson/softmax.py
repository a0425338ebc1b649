"""Softmax: `softmax(scores, dim=-1)`.

Any shape -> same shape: positive numbers that sum to one along `dim`.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from course_utils import nadaraya_watson as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import no_nan, right_while_small

from ._softmax_code import clamps_the_scores, takes_a_pair


def cases(draw: Draw) -> list[Case]:
    a, b, c = draw.sizes(3)
    # Rows far apart: one shift for all of them underflows
    tall = draw.normal(b, a) + torch.linspace(0, 200, b)[:, None]
    return [
        Case("ln 1, ln 2, ln 5", args=(torch.tensor([1.0, 2.0, 5.0]).log(),)),
        Case("a vector", args=(draw.normal(a),)),
        Case("a matrix, along its rows", args=(draw.normal(a, b), -1), gradients=True),
        Case("three axes, along the first", args=(draw.normal(a, b, c), 0)),
        Case("three axes, along the middle", args=(draw.normal(a, b, c), 1)),
        Case("three axes, along the last but one", args=(draw.normal(c, a, b), -2)),
        Case("four axes, along the third from the back", args=(draw.normal(c, a, 2, b), -3)),
        Case("scores of ±10000", args=(torch.tensor([1e4, -1e4, 0.0]),), group="edge"),
        Case("one score far above the others", args=(torch.tensor([300.0, 0, 0]),), group="edge"),
        Case("all scores very low", args=(draw.normal(a, b) - 120,), group="edge"),
        Case("rows on very different levels", args=(tall,), group="edge"),
    ]


EXERCISE = Exercise(
    name="softmax",
    points=3,
    section="Softmax: weights that sum to one",
    reference=ref.softmax,
    returns=("weights, same shape as the scores",),
    cases=cases,
    properties=(no_nan(),),
    picture=weights_picture(0),
    forbidden=(
        Forbidden(
            "Here you write softmax yourself: torch's softmax, Softmax and log_softmax are not "
            "allowed. You need exp, sum and max.",
            ("softmax", "Softmax", "log_softmax", "LogSoftmax", "softmin", "Softmin", "Softmax2d"),
        ),
    ),
)


def shares(powers: Tensor, dim: int) -> Tensor:
    return powers / powers.sum(dim, keepdim=True)


def safe_powers(scores: Tensor, dim: int) -> Tensor:
    return (scores - scores.amax(dim, keepdim=True)).exp()


LITTLE = (1e-1, 1e-2, 1e-3, 1e-4, 1e-8)  # what is added to a sum lest it be 0


def short_shares(
    scores: Tensor, dim: int = -1, *, powers: Callable[[Tensor, int], Tensor], less: float
) -> Tensor:
    found = powers(scores, dim)
    return found / (found.sum(dim, keepdim=True) + less)


EXERCISE.misconception(
    "no-max-subtraction",
    "exp overflows",
    "For a score of 10000 your `exp` is infinite, and infinity divided by infinity is NaN. Adding "
    "the same number to all scores of a row changes nothing in softmax: which number would make "
    "sure that no exponential is larger than 1?",
    lambda scores, dim=-1: shares(scores.exp(), dim),
    *(partial(short_shares, powers=lambda scores, dim: scores.exp(), less=s) for s in LITTLE),
)

EXERCISE.misconception(
    "epsilon-in-the-sum",
    "A little is added to the sum",
    "You add a small number to the sum that you divide by, so the weights sum to less than one. It "
    "is not needed: once the largest score has been subtracted, one of the exponentials is 1, and "
    "the sum cannot be 0.",
    *(partial(short_shares, powers=safe_powers, less=small) for small in LITTLE),
)

EXERCISE.misconception(
    "no-max-subtraction",
    "exp overflows in float64 as well",
    "float64 reaches further than float32, but not far enough: the exponential of 10000 is "
    "infinite there, too, and infinity divided by infinity is NaN. Which number could you subtract "
    "from all scores of a row, so that no exponential is larger than 1?",
    lambda scores, dim=-1: shares(scores.double().exp(), dim).to(scores.dtype),
)

EXERCISE.misconception(
    "no-axis",
    "One row only",
    "This is the formula for a single row of scores: it takes no `dim`, so nobody can ask for the "
    "rows or the columns of a matrix. And for a score of 10000 its `exp` is infinite: which number "
    "could you subtract from all scores of a row without changing its weights?",
    lambda scores: scores.exp() / scores.exp().sum(),
    lambda scores: shares(scores.exp(), -1),
)

EXERCISE.misconception(
    "negative-axis",
    "A negative axis is not always the last",
    "You take every negative `dim` for the last axis. -1 is the last one, -2 the one before it: "
    "torch counts like that by itself if you hand `dim` on as it is.",
    lambda scores, dim=-1: ref.softmax(scores, dim if dim >= 0 else -1),
)

EXERCISE.misconception(
    "nan-swept-away",
    "NaN replaced by a number",
    "You replace the NaN afterwards. But where it arose, by overflow or by 0 / 0, the weights are "
    "already lost: for scores of 10000, -10000 and 0 the first one should get everything, and rows "
    "far below 0 have weights as well. Keep the NaN from arising: shift the scores before `exp`.",
    syntax=lambda tree: syntax.uses(tree, "nan_to_num", "nan_to_num_", "isnan"),
    symptom=right_while_small(ref.softmax, 20),
)

EXERCISE.misconception(
    "clamped-scores",
    "The scores are cut off",
    "You clamp the scores so that `exp` stays finite. Scores beyond the limit all become the same "
    "number, and so do their weights. Only differences between scores count: what could you "
    "subtract instead?",
    syntax=clamps_the_scores,
    symptom=right_while_small(ref.softmax, 10),
)

EXERCISE.misconception(
    "max-is-a-pair",
    "A maximum along an axis is a pair",
    "`scores.max(dim)` returns the maxima and where they stand, and you cannot subtract such a "
    "pair. Take its `.values`, or use `amax`.",
    lambda scores, dim=-1: scores - scores.max(dim, keepdim=True),
    syntax=takes_a_pair,
)

EXERCISE.misconception(
    "global-max",
    "One maximum for all rows",
    "You subtract the maximum of the whole tensor. A row that lies far below it underflows: all "
    "its exponentials are 0, and 0 / 0 is NaN. Each row needs its own maximum, along the "
    "same axis as the sum.",
    lambda scores, dim=-1: shares((scores - scores.max()).exp(), dim),
)

EXERCISE.misconception(
    "global-sum",
    "One sum for all rows",
    "You divide by the sum over the whole tensor, so the whole tensor sums to one instead of each "
    "row. Which argument of `sum` says along which axis, and which one keeps that axis for the "
    "division?",
    lambda scores, dim=-1: safe_powers(scores, dim) / safe_powers(scores, dim).sum(),
)

EXERCISE.misconception(
    "global-sum",
    "One sum for all rows, and exp overflows",
    "You divide by the sum over the whole tensor, so the whole tensor sums to one instead of each "
    "row: `dim` says along which axis. And for a score of 10000 your `exp` is infinite.",
    lambda scores, dim=-1: scores.exp() / scores.exp().sum(),
)

EXERCISE.misconception(
    "missing-keepdim",
    "The summed axis is gone",
    "After `sum(dim)` the axis has disappeared, and broadcasting lines the rest up with the wrong "
    "axis (or with none). `keepdim=True` leaves an axis of length one in its place.",
    lambda scores, dim=-1: safe_powers(scores, dim) / safe_powers(scores, dim).sum(dim),
)

EXERCISE.misconception(
    "wrong-axis",
    "Normalised along the first axis",
    "You normalise along axis 0 whatever `dim` says: the columns sum to one instead of the rows. "
    "Use the argument.",
    lambda scores, dim=-1: ref.softmax(scores, 0),
)

EXERCISE.misconception(
    "fixed-axis",
    "The axis is fixed",
    "You always use axis 1, which is right for a matrix and wrong for everything else. Use the "
    "argument `dim`.",
    lambda scores, dim=-1: ref.softmax(scores, 1),
)

EXERCISE.misconception(
    "always-last-axis",
    "The axis is fixed",
    "You always normalise along the last axis. The caller may ask for another one: use the "
    "argument `dim`.",
    lambda scores, dim=-1: ref.softmax(scores, -1),
)

EXERCISE.misconception(
    "sigmoid",
    "Each score on its own",
    "A sigmoid squashes each score without looking at the others, so the results do not sum to "
    "one. Softmax is a competition: a score's share depends on all the others of its row.",
    lambda scores, dim=-1: scores.sigmoid(),
)

EXERCISE.misconception(
    "log-softmax",
    "The logarithm of the answer",
    "Your values are the logarithms of the weights (they are negative). One step is missing.",
    lambda scores, dim=-1: scores - scores.logsumexp(dim, keepdim=True),
)

EXERCISE.misconception(
    "divide-by-max",
    "Divided by the largest, not by the sum",
    "You divide by the largest exponential: the largest weight is 1, and the row sums to more "
    "than 1. A share is a part of the sum.",
    lambda scores, dim=-1: safe_powers(scores, dim),
)

EXERCISE.misconception(
    "base-two",
    "Powers of two",
    "You raise 2 to the scores. That is a softmax too, of scores that are smaller by a factor of "
    "ln 2, but not this one: use `exp`.",
    lambda scores, dim=-1: ref.softmax(scores * 0.6931471805599453, dim),
)

EXERCISE.misconception(
    "no-exponential",
    "Shares of the raw scores",
    "You divide the scores themselves by their sum. With negative scores that gives negative "
    "weights, and the sum may be near 0. What makes every number positive and keeps the order?",
    lambda scores, dim=-1: shares(scores, dim),
)

EXERCISE.misconception(
    "subtracts-mean",
    "Shifted by the mean",
    "You subtract the mean. That changes nothing in the result, but it does not protect you: the "
    "largest score can lie far above the mean, and `exp` still overflows.",
    lambda scores, dim=-1: shares((scores - scores.mean(dim, keepdim=True)).exp(), dim),
)


@EXERCISE.misconception(
    "changes-its-input",
    "The input is changed",
    "You subtract in place (`-=`, `sub_`), so the caller's scores are changed as well. Write "
    "`scores = scores - …`, which makes a new tensor.",
)
def in_place(scores: Tensor, dim: int = -1) -> Tensor:
    scores -= scores.amax(dim, keepdim=True)
    return ref.softmax(scores, dim)
