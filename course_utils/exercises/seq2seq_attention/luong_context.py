"""Luong: the current state asks: `luong_context(state, memory, mask)`.

(B, D), (B, S, D), (B, S) bool -> context (B, D), weights (B, S).
"""

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import seq2seq_attention as ref
from course_utils.dot_product_attention import cosine_scores
from course_utils.exercises.seq2seq_attention._shared import (
    Pair,
    add_common,
    attends,
    however_mixed,
    mix,
    returns_other,
)
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import no_nan, rows_sum_to_one, zero_where_masked
from course_utils.masking import masked_softmax


def very_low(draw: Draw, batch: int, steps: int, dim: int) -> Pair:
    """A state and a memory whose scores all lie near -50: only then is a mask of 0 or -10 not good
    enough."""
    direction = F.normalize(draw.normal(batch, dim), dim=-1)  # (B, D)
    return 7 * direction, draw.normal(batch, steps, dim, scale=0.2) - 7 * direction[:, None]


def cases(draw: Draw) -> list[Case]:
    b, s, d = draw.sizes(3, low=3, high=8)

    def data(batch: int, steps: int, dim: int) -> tuple[Tensor, Tensor, Tensor]:
        return draw.normal(batch, dim), draw.normal(batch, steps, dim), draw.mask(batch, steps)

    nothing = draw.mask(b, s)
    nothing[1] = False
    return [
        Case(
            "the example of the text",
            args=(
                torch.tensor([[0.2, 1.0]]),
                torch.tensor([[[1.0, 0.0], [0.0, 4.0], [5.0, 5.0]]]),
                torch.tensor([[True, True, False]]),
            ),
        ),
        Case(
            "2 states, 3 places, 4 numbers each", args=data(2, 3, 4)
        ),  # small enough to be printed
        Case(f"{b} states, {s} places, {d} numbers each", args=data(b, s, d)),
        Case("as many states as places", args=data(s, s, d)),
        Case("as many places as numbers", args=data(b, d, d)),
        Case("very low scores", args=(*very_low(draw, d, s, b), draw.mask(d, s))),
        Case("gradients", args=data(s, b, d), gradients=True),
        Case(
            "nothing is masked",
            args=(draw.normal(d, b), draw.normal(d, s, b), torch.ones(d, s, dtype=torch.bool)),
            group="edge",
        ),
        Case(
            "one row has nothing to look at",
            args=(draw.normal(b, d), draw.normal(b, s, d), nothing),
            gradients=True,
            group="edge",
        ),
        Case(
            "a source of one token",
            args=(draw.normal(b, d), draw.normal(b, 1, d), torch.ones(b, 1, dtype=torch.bool)),
            group="edge",
        ),
        Case(
            "very high scores",
            args=(20 * draw.normal(b, d), 20 * draw.normal(b, s, d), draw.mask(b, s)),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="luong_context",
    points=4,
    section="Luong: the current state asks",
    reference=ref.luong_context,
    returns=("context (B, D)", "weights (B, S)"),
    cases=cases,
    properties=(rows_sum_to_one(1, zero_rows=True), no_nan(), zero_where_masked(1)),
    picture=weights_picture(1),
)


def dots(state: Tensor, memory: Tensor) -> Tensor:
    return torch.einsum("bd,bsd->bs", state, memory)


EXERCISE.misconception(
    "scaled",
    "Scaled by the square root of the size",
    "You divide the scores by √D. That is the Transformer's convention; Luong's dot score has no "
    "scale, and the text asks for none.",
    attends(lambda state, memory: dots(state, memory) / math.sqrt(state.shape[-1])),
)

EXERCISE.misconception(
    "divided-by-size",
    "Divided by the size",
    "You take the mean of the products where their sum is asked for: your scores are too small by "
    "a factor of D, and the weights too even.",
    attends(lambda state, memory: dots(state, memory) / state.shape[-1]),
)

EXERCISE.misconception(
    "cosine",
    "The cosine instead of the dot product",
    "You normalise the vectors first. Luong's dot score is the plain inner product: a longer "
    "vector counts for more.",
    attends(lambda state, memory: cosine_scores(state[:, None], memory)[:, 0]),
)

EXERCISE.misconception(
    "distance",
    "Distance instead of the dot product",
    "You score by distance, as Nadaraya and Watson do. Here the score is the inner product of "
    "state and memory.",
    attends(lambda state, memory: -((state[:, None] - memory) ** 2).sum(-1)),
)


def changed(
    change: Callable[[Tensor, Tensor], Any], state: Tensor, memory: Tensor, mask: Tensor
) -> Any:
    return change(*ref.luong_context(state, memory, mask))


EXERCISE.misconception(
    "state-is-averaged",
    "The state is brought back, not the memory",
    "Your context is the state itself: weights that sum to one give it back unchanged. What is "
    "brought back are the values, and they come from the source.",
    lambda state, memory, mask: changed(
        lambda context, weights: (state * weights.sum(-1, keepdim=True), weights),
        state,
        memory,
        mask,
    ),
)

EXERCISE.misconception(
    "state-added",
    "The state is added to the context",
    "You add the state to the context. The caller joins the two in its own way; asked for is what "
    "came from the source alone.",
    lambda state, memory, mask: changed(
        lambda context, weights: (context + state, weights), state, memory, mask
    ),
)

EXERCISE.misconception(
    "state-joined",
    "The state is joined to the context",
    "You return context and state in one vector of 2D numbers. The caller will do that; asked for "
    "is the context alone, (B, D).",
    lambda state, memory, mask: changed(
        lambda context, weights: (torch.cat([context, state], -1), weights),
        state,
        memory,
        mask,
    ),
)


@EXERCISE.misconception(
    "batch-mixed",
    "Every state meets every sentence",
    "`state @ memory.mT` pairs each state with each sentence of the batch, and your results have "
    "one axis of length B too many. A state belongs to one sentence: give it an axis of length "
    "one before the product.",
)
def batch_mixed(state: Tensor, memory: Tensor, mask: Tensor) -> Pair:
    weights = masked_softmax(state @ memory.mT, mask)  # (B, B, S)
    return weights @ memory, weights


def all_pairs(state: Tensor, memory: Tensor) -> Tensor:
    """(B, S, B): every place of every sentence with every state."""
    return memory @ state.T


EXERCISE.misconception(
    "batch-mixed",
    "Every sentence meets every state",
    "`memory @ state.T` pairs each place with all states of the batch: its last axis counts "
    "states, and only one of them belongs to the sentence. Each state looks at its own sentence "
    "only: give it an axis of length one, and let the batch axis stay in front.",
    *however_mixed(lambda state, memory: all_pairs(state, memory)[..., 0]),
    *however_mixed(lambda state, memory: all_pairs(state, memory)[..., -1]),
    *however_mixed(lambda state, memory: all_pairs(state, memory).sum(-1)),
    *however_mixed(lambda state, memory: all_pairs(state, memory).mean(-1)),
    *however_mixed(lambda state, memory: all_pairs(state, memory).squeeze(-1)),
    *however_mixed(lambda state, memory: all_pairs(state, memory).squeeze()),
    *however_mixed(all_pairs),
)

EXERCISE.misconception(
    "last-state-only",
    "Only the last place is used",
    "Your context is the last place of the memory, whatever the weights are. That is the single "
    "vector that attention was invented to get away from.",
    returns_other(dots, lambda context, weights, memory: (memory[:, -1], weights)),
)


def wrong_sum(state: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
    return masked_softmax((state[:, None] * memory).sum(1), mask)


EXERCISE.misconception(
    "summed-over-time",
    "Summed over the source, not over the numbers",
    "Your products are summed over the places of the source: one score per feature comes out. A "
    "score belongs to a place, so the sum runs over the numbers of its vector.",
    lambda state, memory, mask: (
        mix(wrong_sum(state, memory, mask), memory),
        wrong_sum(state, memory, mask),
    ),
)


add_common(EXERCISE, dots)
