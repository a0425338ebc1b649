"""Bahdanau: the previous state asks: `bahdanau_context(state, memory, w_s, w_h, v, mask)`.

(B, Ds), (B, S, Dm), (Ds, A), (Dm, A), (A,), (B, S) bool -> context (B, Dm), weights (B, S).
"""

import ast
import math

import torch
from torch import Tensor

from course_utils import seq2seq_attention as ref
from course_utils.dot_product_attention import additive_scores
from course_utils.exercises.seq2seq_attention._shared import (
    Pair,
    add_common,
    attends,
    however_mixed,
    mix,
)
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import no_nan, rows_sum_to_one, zero_where_masked
from course_utils.masking import masked_softmax


def cases(draw: Draw) -> list[Case]:
    b, s, ds, dm, a = draw.sizes(5, low=2, high=8)

    def data(
        batch: int, steps: int, state: int, memory: int, hidden: int, mask: Tensor | None = None
    ) -> tuple[Tensor, ...]:
        return (
            draw.normal(batch, state),
            draw.normal(batch, steps, memory),
            draw.normal(state, hidden),
            draw.normal(memory, hidden),
            draw.normal(hidden, scale=2.0),
            draw.mask(batch, steps) if mask is None else mask,
        )

    low = list(data(dm, s, ds, b, a))
    # The scores lie near -50: v is large and positive,
    low[4] = draw.uniform(a, low=50 / a, high=60 / a)
    low[1] = low[1].abs() + 1  # and the memory pushes
    low[3] = -low[3].abs() - 1  # every hidden unit down to -1
    nothing = draw.mask(b, s)
    nothing[-1] = False
    return [
        Case("2 states of 1, 3 places of 4, 2 hidden units", args=data(2, 3, 1, 4, 2)),
        Case(
            f"{b} states of {ds}, {s} places of {dm}, {a} hidden units", args=data(b, s, ds, dm, a)
        ),
        Case("states and places of the same size", args=data(b, s, dm, dm, a)),
        Case("as many places as hidden units", args=data(dm, a, ds, b, a)),
        Case("very low scores", args=tuple(low)),
        Case("gradients", args=data(s, b, dm, ds, a), gradients=True),
        Case(
            "nothing is masked",
            args=data(b, s, ds, dm, a, torch.ones(b, s, dtype=torch.bool)),
            group="edge",
        ),
        Case(
            "one row has nothing to look at",
            args=data(b, s, ds, dm, a, nothing),
            gradients=True,
            group="edge",
        ),
        Case(
            "a source of one token",
            args=data(b, 1, ds, dm, a, torch.ones(b, 1, dtype=torch.bool)),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="bahdanau_context",
    points=5,
    section="Bahdanau: the previous state asks",
    reference=ref.bahdanau_context,
    returns=("context (B, Dm)", "weights (B, S)"),
    cases=cases,
    properties=(rows_sum_to_one(1, zero_rows=True), no_nan(), zero_where_masked(1)),
    picture=weights_picture(1),
)


def hidden_units(state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor) -> Tensor:
    """(B, S, A), before the tanh."""
    return (state @ w_s)[:, None] + memory @ w_h


EXERCISE.misconception(
    "no-tanh",
    "Without the tanh the state has no say",
    "You leave out the tanh. Then the state adds the same number to the score of every place, "
    "softmax cancels it, and the decoder looks at the same places at every step.",
    attends(lambda s, h, w_s, w_h, v: hidden_units(s, h, w_s, w_h) @ v),
)

EXERCISE.misconception(
    "tanh-on-the-score",
    "tanh on the score instead of the hidden units",
    "You take tanh of the finished score. All scores then lie between -1 and 1, so no place can "
    "stand out, and inside, where state and memory meet, there is nothing nonlinear left.",
    attends(lambda s, h, w_s, w_h, v: torch.tanh(hidden_units(s, h, w_s, w_h) @ v)),
)


def additive(state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor, v: Tensor) -> Tensor:
    return additive_scores(state[:, None], memory, w_s, w_h, v)[:, 0]


EXERCISE.misconception(
    "no-query-axis",
    "The state has no axis of queries",
    "`additive_scores` takes queries (B, T, Ds). You hand it the state as it is, (B, Ds): it reads "
    "the batch as T queries, and every state asks every sentence. Give the state an axis of length "
    "one before, and take it away afterwards.",
    *however_mixed(additive_scores),
    *however_mixed(lambda *args: additive_scores(*args).squeeze(1)),
    *however_mixed(lambda *args: additive_scores(*args)[:, 0]),
)

EXERCISE.misconception(
    "tanh-twice",
    "tanh twice",
    "You take tanh of the hidden units and again of the score. With scores between -1 and 1 no "
    "place can stand out.",
    attends(lambda *args: torch.tanh(additive(*args))),
)

EXERCISE.misconception(
    "tanh-before-adding",
    "tanh of each part on its own",
    "You take tanh of the state's part and of the memory's part before you add them. The state "
    "then adds the same number to every place again, and softmax cancels it: first add, then tanh.",
    attends(lambda s, h, w_s, w_h, v: (torch.tanh(s @ w_s)[:, None] + torch.tanh(h @ w_h)) @ v),
)

EXERCISE.misconception(
    "relu",
    "relu instead of tanh",
    "You use relu. Whatever is negative scores 0, and places tie. Bahdanau's score uses tanh.",
    attends(lambda s, h, w_s, w_h, v: hidden_units(s, h, w_s, w_h).relu() @ v),
)

EXERCISE.misconception(
    "relu-on-the-score",
    "relu on the score",
    "You cut off negative scores. All places below 0 tie then, and no gradient reaches them. The "
    "softmax takes scores of either sign.",
    attends(lambda *args: additive(*args).relu()),
)

EXERCISE.misconception(
    "sigmoid",
    "sigmoid instead of tanh",
    "You use a sigmoid. It lies between 0 and 1, so it is another score than the one of the text, "
    "which uses tanh.",
    attends(lambda s, h, w_s, w_h, v: hidden_units(s, h, w_s, w_h).sigmoid() @ v),
)

EXERCISE.misconception(
    "multiplied",
    "Multiplied instead of added",
    "You multiply the two projections. That is a multiplicative score; here they are added before "
    "the tanh, hence the name additive.",
    attends(lambda s, h, w_s, w_h, v: torch.tanh((s @ w_s)[:, None] * (h @ w_h)) @ v),
)


def reads(tree: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


EXERCISE.misconception(
    "state-ignored",
    "The state is not used",
    "Your scores depend on the memory alone, so the decoder looks at the same places at every "
    "step. The state is the question.",
    attends(lambda s, h, w_s, w_h, v: torch.tanh(h @ w_h) @ v),
    syntax=lambda tree: not reads(tree, "w_s"),
)

EXERCISE.misconception(
    "v-ignored",
    "v is not used",
    "You add up the hidden units. Each has its own weight in `v`, and it is learned which of "
    "them matter.",
    attends(lambda s, h, w_s, w_h, v: torch.tanh(hidden_units(s, h, w_s, w_h)).sum(-1)),
)

EXERCISE.misconception(
    "matrices-swapped",
    "The two matrices are swapped",
    "You project the state with the memory's matrix and the memory with the state's. It runs only "
    "where both have the same size.",
    attends(lambda s, h, w_s, w_h, v: additive(s, h, w_h, w_s, v)),
)

EXERCISE.misconception(
    "one-matrix",
    "One matrix for both",
    "You project state and memory with the same matrix. They come from different networks and may "
    "have different sizes: each has its own matrix.",
    attends(lambda s, h, w_s, w_h, v: additive(s, h, w_s, w_s, v)),
)


@EXERCISE.misconception(
    "context-of-keys",
    "The projected memory is averaged",
    "Your weights are right, but you average what was projected for the score. `w_h` makes keys; "
    "the values are the memory itself, and the context has its size.",
)
def context_of_keys(
    state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor, v: Tensor, mask: Tensor
) -> Pair:
    weights = masked_softmax(additive(state, memory, w_s, w_h, v), mask)
    return mix(weights, memory @ w_h), weights


def hidden_softmax(state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor, v: Tensor) -> Tensor:
    return torch.tanh(hidden_units(state, memory, w_s, w_h)).softmax(-1) @ v


EXERCISE.misconception(
    "softmax-over-hidden",
    "Softmax over the hidden units",
    "You normalise over the hidden units before `v`. The softmax belongs to the finished scores "
    "and runs over the places.",
    attends(hidden_softmax),
)

EXERCISE.misconception(
    "scaled",
    "Scaled by a square root",
    "You divide the scores by a square root. The additive score has no scale: tanh keeps the "
    "hidden units small already.",
    attends(lambda *args: additive(*args) / math.sqrt(len(args[-1]))),
)

add_common(EXERCISE, additive)
