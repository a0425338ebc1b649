"""What several exercises of this unit have in common."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.judging.exercise import Exercise
from course_utils.masking import masked_softmax

Pair = tuple[Tensor, Tensor]


def mix(weights: Tensor, memory: Tensor) -> Tensor:
    return torch.einsum("bs,bsd->bd", weights, memory)


def nan_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


Weigh = Callable[[Tensor, Tensor], Tensor]  # scores (B, S), mask (B, S) -> weights (B, S)


def zeroed_after(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.softmax(-1) * mask


def filled(value: float) -> Weigh:
    return lambda scores, mask: scores.masked_fill(~mask, value).softmax(-1)


Score = Callable[..., Tensor]  # of the exercise's arguments without the mask -> (B, S)


def attends(score: Score, weigh: Weigh = masked_softmax) -> Callable[..., Pair]:
    """Attention with another score or another softmax; state, memory and what else there is come
    first, the mask last."""

    def variant(*args: Tensor) -> Pair:
        weights = weigh(score(*args[:-1]), args[-1])
        return mix(weights, args[1]), weights

    return variant


MIXES: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    lambda weights, memory: (weights[:, None] @ memory)[:, 0],
    lambda weights, memory: (weights[:, None] @ memory).squeeze(1),
    lambda weights, memory: (weights[..., None] * memory).sum(1),
    lambda weights, memory: torch.einsum("bs,bsd->bd", weights, memory),
    lambda weights, memory: torch.bmm(weights[:, None], memory)[:, 0],
    lambda weights, memory: weights @ memory,
)


def however_mixed(score: Score) -> list[Callable[..., Pair]]:
    """Attention with a score of the wrong shape, and the context in all usual ways: what comes of
    it differs."""

    def variant(mixed: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Pair]:
        def answer(*args: Tensor) -> Pair:
            weights = masked_softmax(score(*args[:-1]), args[-1])
            return mixed(weights, args[1]), weights

        return answer

    return [variant(mixed) for mixed in MIXES]


def returns_other(
    score: Score, change: Callable[[Tensor, Tensor, Tensor], Any]
) -> Callable[..., Any]:
    """Right weights, but `change(context, weights, memory)` is returned."""

    def variant(*args: Tensor) -> Any:
        context, weights = attends(score)(*args)
        return change(context, weights, args[1])

    return variant


def add_common(exercise: Exercise, score: Score) -> None:
    """Mistakes with the mask, the softmax and what is returned, for either score."""
    exercise.misconception(
        "mask-ignored",
        "The mask is not used",
        "You attend to everything, padding included. Padding is not part of the sentence: it must "
        "get no weight at all.",
        attends(score, lambda scores, mask: scores.softmax(-1)),
    )
    exercise.misconception(
        "inverted-mask",
        "The mask is inverted",
        "You attend exactly to what is masked out. True means *may attend* here.",
        attends(score, lambda scores, mask: masked_softmax(scores, ~mask)),
    )
    exercise.misconception(
        "mask-of-zeros",
        "A score of 0 is not a weight of 0",
        "You give masked places the score 0. exp(0) is 1, and where the real scores are negative, "
        "padding wins. Which score has the exponential 0?",
        attends(score, filled(0.0)),
    )
    exercise.misconception(
        "mask-not-low-enough",
        "Not low enough",
        "You give masked places a score of about -10. Real scores can be far lower than that, and "
        "then padding wins. Nothing finite and modest is safe.",
        attends(score, filled(-10.0)),
    )
    exercise.misconception(
        "not-renormalised",
        "The weights no longer sum to one",
        "You set weights to zero after the softmax. The padding has already taken its share, so "
        "what is left sums to less than one.",
        attends(score, zeroed_after),
    )
    exercise.misconception(
        "nan-row",
        "NaN where there is nothing to look at",
        "In a row without any True all your scores are -inf, and their softmax is 0 / 0. The "
        "course's rule: such a row has weights 0 and context 0. `masked_softmax` of unit 03 keeps "
        "that rule.",
        attends(score, nan_softmax),
    )
    exercise.misconception(
        "uniform-where-nothing-is-allowed",
        "Padding is used after all",
        "Your fill is finite, so in a row without any True all scores are equal and everything "
        "gets the same weight. The course's rule: such a row has weights 0 and context 0.",
        attends(score, filled(-1e9)),
        attends(score, lambda scores, mask: (scores + (~mask) * -1e9).softmax(-1)),
    )
    exercise.misconception(
        "nan-gradient",
        "NaN on the way back",
        "Your results are right, also where there is nothing to look at. But the NaN that you "
        "replace there comes back in the gradient, and one such row spoils every weight of a "
        "network. Fill the scores (`masked_fill`) instead of adding -inf to them.",
        attends(
            score,
            lambda scores, mask: (scores + mask.float().log()).softmax(-1).nan_to_num(0.0),
        ),
    )
    exercise.misconception(
        "softmax-over-the-batch",
        "Softmax along the wrong axis",
        "Your columns sum to one: the sentences of the batch compete with each other. It is the "
        "places of one sentence that share the weight.",
        attends(score, lambda scores, mask: masked_softmax(scores.T, mask.T).T),
    )
    exercise.misconception(
        "no-softmax",
        "Scores are not weights",
        "You weigh with the raw scores. They can be negative and do not sum to one.",
        attends(score, lambda scores, mask: scores * mask),
    )
    exercise.misconception(
        "hard-choice",
        "One place takes all",
        "You give the best place all the weight. That is hard attention, and no gradient flows "
        "through the choice; here every allowed place has its share.",
        attends(
            score,
            lambda scores, mask: F.one_hot(
                scores.masked_fill(~mask, -torch.inf).argmax(-1), scores.shape[-1]
            ).to(scores.dtype),
        ),
    )
    exercise.misconception(
        "every-place-the-same",
        "Every place counts the same",
        "Your weights are the same for all allowed places: the state has no say. What makes the "
        "decoder look at different places at different steps?",
        attends(score, lambda scores, mask: masked_softmax(torch.zeros_like(scores), mask)),
    )
    exercise.misconception(
        "context-keeps-an-axis",
        "An axis of length one is left",
        "Your context has shape (B, 1, D). The axis of length one was needed for the matrix "
        "product; the caller wants (B, D).",
        returns_other(score, lambda context, weights, memory: (context[:, None], weights)),
    )
    exercise.misconception(
        "all-keep-an-axis",
        "An axis of length one is left",
        "Context and weights come back with an axis of length one in the middle. It was needed "
        "for the matrix product; the caller wants (B, D) and (B, S).",
        returns_other(score, lambda context, weights, memory: (context[:, None], weights[:, None])),
    )
    exercise.misconception(
        "weights-keep-an-axis",
        "An axis of length one is left",
        "Your weights have shape (B, S, 1). The last axis was needed for a product; the caller "
        "wants (B, S).",
        returns_other(score, lambda context, weights, memory: (context, weights[..., None])),
    )
    exercise.misconception(
        "not-added-up",
        "Weighted, but not added up",
        "You weigh every place of the memory and leave it at that: (B, S, D). The context is "
        "their sum over the source, one vector per sentence.",
        returns_other(
            score, lambda context, weights, memory: (weights[..., None] * memory, weights)
        ),
    )
    exercise.misconception(
        "averaged-again",
        "Averaged a second time",
        "Your context is too small by the length of the source: the weights already sum to one, "
        "so the weighted places are added, not averaged.",
        returns_other(score, lambda context, weights, memory: (context / memory.shape[1], weights)),
    )
    exercise.misconception(
        "weights-missing",
        "The weights are missing",
        "You return the context alone. The weights are the alignment, which says where the model "
        "looked: return both, context first.",
        returns_other(score, lambda context, weights, memory: context),
    )
    exercise.misconception(
        "scores-returned",
        "Scores in place of the weights",
        "Your context is right, but beside it you return the scores from before the softmax. The "
        "alignment is what came out of the softmax.",
        lambda *args: (attends(score)(*args)[0], score(*args[:-1])),
    )
