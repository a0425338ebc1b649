"""What several exercises of this unit have in common."""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils.judging.exercise import Exercise


def additive(mask: Tensor) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


NOT_BOOLEAN = (
    "Your mask holds numbers. Masks in this course are boolean: then `~mask` and `masked_fill` "
    "work, and nobody can mistake a 1 for a weight."
)


ADDITIVE_MASK = (
    "You return a mask of 0 and -inf, to be added to scores (as torch's "
    "`generate_square_subsequent_mask` does). Here a mask is boolean: True where attention "
    "is allowed."
)


EMPTY_ROW = "A row with nothing to attend to"
Softmax = Callable[[Tensor, Tensor], Tensor]  # scores (..., T, S), mask -> weights (..., T, S)


def filled(value: float) -> Softmax:
    return lambda scores, mask: scores.masked_fill(~mask, value).softmax(-1)


def zero_if_empty(value: float) -> Softmax:
    """The same with zeros for what is masked: a row with nothing to attend to is right."""
    return lambda scores, mask: filled(value)(scores, mask) * mask


def penalised(value: float) -> Softmax:
    return lambda scores, mask: (scores + value * (~mask)).softmax(-1) * mask.any(-1, keepdim=True)


def renormalised(scores: Tensor, mask: Tensor, least: float = 0.0) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).clamp(min=least)


def hidden_nan(scores: Tensor, mask: Tensor) -> Tensor:
    weights = (scores + mask.float().log()).softmax(-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


def add_mask_mistakes(
    exercise: Exercise,
    through: Callable[[Softmax], Callable[..., object]] = lambda softmax: softmax,
) -> None:
    """Wrong ways to apply a mask; `through` makes an answer of a masked softmax."""

    def add(slug: str, title: str, hint: str, *wrong: Softmax, section: str = "") -> None:
        exercise.misconception(slug, title, hint, *map(through, wrong), section=section)

    add(
        "zero-score",
        "A score of 0 is not a weight of 0",
        "You set masked scores to 0. But exp(0) = 1: a score of 0 is an ordinary score, and where "
        "the valid ones are negative even the best. Which score has the exponential 0?",
        lambda scores, mask: (scores * mask).softmax(-1),
    )
    # before a fill that is too high: where keys are few, -1000 fails in empty rows alone
    add(
        "empty-row-uniform",
        "A row with nothing to attend to attends to everything",
        "With a large negative number in place of every score, softmax shares out equally: the row "
        "attends to everything that was forbidden. The text asks for zeros; the lecture has a "
        "section on such rows.",
        filled(-1e9),
        lambda scores, mask: (scores + (~mask) * -1e9).softmax(-1),
        section=EMPTY_ROW,
    )
    add(
        "fill-not-low-enough",
        "The fill is not low enough",
        "Your fill is low, but not low enough: scores can be lower. Where all valid scores are "
        "near -50, a masked -10 wins. Nothing that is filled in may ever compete.",
        *(filled(value) for value in (-10.0, -20.0, -50.0, -99.0, -100.0, -500.0, -999.0, -1000.0)),
        *(zero_if_empty(value) for value in (-10.0, -50.0, -100.0, -500.0, -999.0, -1000.0)),
    )
    add(
        "fill-not-low-enough",
        "The penalty is not large enough",
        "You add a penalty to what is masked. It is large, but a forbidden score can lie higher "
        "above the allowed ones than that. Nothing that is masked may ever compete.",
        *(penalised(value) for value in (-100.0, -500.0, -999.0, -1000.0)),
    )
    add(
        "not-renormalised",
        "The other weights no longer sum to one",
        "You set weights to 0 after the softmax. What they had is missing now: your rows sum to "
        "less than one. The masked keys must be out of the competition *before* it starts.",
        lambda scores, mask: scores.softmax(-1) * mask,
    )
    add(
        "renormalised-after",
        "0 divided by 0",
        "Removing weights after the softmax and dividing by what is left is right on paper. But "
        "where the masked keys had all the weight, or nothing may be attended to, 0 / 0 is NaN.",
        renormalised,
        section=EMPTY_ROW,
    )
    add(
        "renormalised-after",
        "Too little is left to divide",
        "Removing weights after the softmax and dividing by what is left is right on paper. But "
        "where a masked key scored far higher than all others, these have rounded to 0, and no "
        "division brings them back.",
        lambda scores, mask: renormalised(scores, mask, least=1e-9),
    )
    add(
        "inverted",
        "True and False swapped",
        "You mask where the mask is True. Here True means *may attend* (in `nn.MultiheadAttention` "
        "it is the other way round).",
        lambda scores, mask: ref.masked_softmax(scores, ~mask),
    )
    add(
        "inverted",
        "True and False swapped, and NaN",
        "You mask where the mask is True. Here True means *may attend* (in `nn.MultiheadAttention` "
        "it is the other way round). Rows with nothing left also give NaN.",
        lambda scores, mask: scores.masked_fill(mask, -torch.inf).softmax(-1),
    )
    add(
        "zero-times-infinity",
        "0 times infinity",
        "You multiply a mask of zeros and ones by -inf. Where the mask is 0 that is 0 · inf = NaN, "
        "and one NaN spoils its row. Fill in, do not multiply.",
        lambda scores, mask: (scores + (~mask).to(scores.dtype) * -torch.inf).softmax(-1),
    )
    add(
        "empty-row-nan",
        "A row with nothing to attend to gives NaN",
        "Where a whole row is masked, all scores are -inf, and softmax divides 0 by 0. The text "
        "says what such a row must be. One NaN is enough to spoil every weight of a network in the "
        "next step.",
        filled(-torch.inf),
        section=EMPTY_ROW,
    )
    add(
        "nan-gradient",
        "NaN on the way back",
        "Your weights are right, also in a row with nothing to attend to. But the NaN that you "
        "replace there comes back in the gradient: 0 times NaN is NaN, and one such row spoils "
        "every weight of a network. Fill the scores (`masked_fill`) instead of adding -inf to "
        "them: what was filled in has no gradient.",
        hidden_nan,
        section=EMPTY_ROW,
    )
    add(
        "masks-queries",
        "Queries are masked instead of keys",
        "You apply the mask to the wrong axis: rows are queries, columns are keys. A padded word "
        "must disappear as a *column*.",
        lambda scores, mask: ref.masked_softmax(scores, mask.mT),
    )
    add(
        "softmax-over-queries",
        "Softmax over the queries",
        "Your columns sum to one. The keys compete for a query: softmax runs along the last axis.",
        lambda scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(-2).nan_to_num(0.0),
    )
    add(
        "mask-added",
        "The mask is added",
        "You add the mask to the scores: True counts as 1 and False as 0, which moves scores by "
        "one but forbids nothing.",
        lambda scores, mask: (scores + mask).softmax(-1),
    )
