"""Soft attention: `soft_attention(regions, state, w_r, w_s, v)`.

(B, R, D), (B, Ds), (D, A), (Ds, A), (A,) -> context (B, D), weights (B, R).
"""

from typing import Any

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import rows_sum_to_one

from ._scores import energies, finished, hidden_layer, mixed, no_region_axis, plainly, scored


def attention_args(
    draw: Draw, batch: int, regions: int, dim: int, state: int, hidden: int
) -> tuple[Tensor, ...]:
    return (
        draw.normal(batch, regions, dim),
        draw.normal(batch, state),
        draw.normal(dim, hidden, scale=dim**-0.5),
        draw.normal(state, hidden, scale=state**-0.5),
        draw.normal(hidden),
    )


def cases(draw: Draw) -> list[Case]:
    batch, regions, dim, state, hidden = draw.sizes(5)
    *others, v = attention_args(draw, batch, regions, dim, state, hidden)

    def case(label: str, *sizes: int, **more: Any) -> Case:
        return Case(label, args=attention_args(draw, *sizes), **more)

    usual = batch, regions, dim, state, hidden
    return [
        case(f"{regions} regions of {dim}, a state of {state}", *usual),
        case(f"{hidden} regions of {state}, a state of {dim}", regions, hidden, state, dim, batch),
        case("region and state of one size", batch, regions, dim, dim, hidden),
        case("values and gradients", *usual, gradients=True),
        case("one region", batch, 1, dim, state, hidden, group="edge"),
        case("one picture", 1, regions, dim, state, hidden, group="edge"),
        Case("large scores", args=(*others, 60 * v), group="edge"),
    ]


EXERCISE = Exercise(
    name="soft_attention",
    points=4,
    section="Where to look: soft attention",
    reference=ref.soft_attention,
    returns=("context (B, D)", "weights (B, R)"),
    cases=cases,
    properties=(rows_sum_to_one(1),),
    picture=weights_picture(1, "pictures", "regions"),
)

EXERCISE.misconception(
    "no-tanh",
    "Without the tanh the state drops out",
    "You left the tanh out. Then the state adds the same number to the scores of all regions, "
    "softmax cancels it, and every word looks at the same places.",
    scored(lambda r, s, w_r, w_s, v: (r @ w_r + (s @ w_s)[:, None]) @ v),
)

EXERCISE.misconception(
    "tanh-on-the-score",
    "The tanh is applied to the score",
    "You apply the tanh after the product with v. Then the state still drops out of the softmax "
    "almost entirely, and no score leaves [-1, 1]. It belongs on the hidden layer, before v.",
    scored(lambda r, s, w_r, w_s, v: torch.tanh((r @ w_r + (s @ w_s)[:, None]) @ v)),
)

EXERCISE.misconception(
    "relu-energies",
    "A ReLU instead of tanh",
    "You use a ReLU in the hidden layer. The text asks for tanh, as in the papers.",
    scored(lambda r, s, w_r, w_s, v: torch.relu(r @ w_r + (s @ w_s)[:, None]) @ v),
)

EXERCISE.misconception(
    "state-ignored",
    "The state has no say",
    "Your scores do not depend on the state: the model would look at the same regions for every "
    "word.",
    scored(lambda r, s, w_r, w_s, v: torch.tanh(r @ w_r) @ v),
)

EXERCISE.misconception(
    "multiplied-not-added",
    "Multiplied instead of added",
    "You multiply the two projections. That is multiplicative attention; here they are added "
    "before the tanh.",
    scored(lambda r, s, w_r, w_s, v: torch.tanh((r @ w_r) * (s @ w_s)[:, None]) @ v),
)

EXERCISE.misconception(
    "tanh-of-each",
    "The tanh of each instead of the tanh of the sum",
    "You apply the tanh to both projections and add afterwards. The part of the state is then the "
    "same for all regions again, and softmax cancels it.",
    scored(lambda r, s, w_r, w_s, v: (torch.tanh(r @ w_r) + torch.tanh(s @ w_s)[:, None]) @ v),
    syntax=lambda tree: len(syntax.calls(tree, "tanh")) > 1,
)

EXERCISE.misconception(
    "no-region-axis",
    "The state does not meet every region",
    "`regions @ w_r` is (B, R, A) and `state @ w_s` is (B, A): broadcasting compares from the "
    "right and pairs the regions with the batch. The state is the same for all regions of its "
    "picture: give it an axis of length one where the regions are.",
    no_region_axis(mixed),
    no_region_axis(lambda regions, weights: (weights[..., None] * regions).sum(1)),
)

EXERCISE.misconception(
    "scaled",
    "Scores divided by a root",
    "You divide the scores by the root of a size. That belongs to dot products, whose variance "
    "grows with the size; here the text has no scale.",
    scored(lambda r, s, w_r, w_s, v: energies(r, s, w_r, w_s, v) / v.shape[0] ** 0.5),
    scored(lambda r, s, w_r, w_s, v: energies(r, s, w_r, w_s, v) / r.shape[-1] ** 0.5),
    scored(lambda r, s, w_r, w_s, v: energies(r, s, w_r, w_s, v) / s.shape[-1] ** 0.5),
    scored(lambda r, s, w_r, w_s, v: energies(r, s, w_r, w_s, v) / r.shape[1] ** 0.5),
)

EXERCISE.misconception(
    "no-softmax",
    "Scores instead of weights",
    "You use the scores as they are. Weights are positive and sum to one: something is missing "
    "between scores and context.",
    finished(lambda r, scores, weights: (mixed(r, scores), scores)),
)

EXERCISE.misconception(
    "no-max-subtraction",
    "exp overflows",
    "You write the softmax yourself, and for large scores its exponentials are infinite: infinity "
    "divided by infinity is NaN. Subtract the largest score first, or use torch's softmax.",
    finished(lambda r, scores, weights: (mixed(r, plainly(scores)), plainly(scores))),
)

EXERCISE.misconception(
    "softmax-over-batch",
    "The pictures compete instead of the regions",
    "You take the softmax over the batch. The regions of one picture share the attention: which "
    "axis are they?",
    finished(lambda r, scores, weights: (mixed(r, scores.softmax(0)), scores.softmax(0))),
)

EXERCISE.misconception(
    "sigmoid",
    "Every region by itself",
    "You use a sigmoid: each region gets its weight without looking at the others, and they do "
    "not sum to one.",
    finished(lambda r, scores, weights: (mixed(r, scores.sigmoid()), scores.sigmoid())),
)

EXERCISE.misconception(
    "mean-instead-of-sum",
    "The mean of the weighted regions",
    "Your context is too small by the number of regions: the weights already sum to one, so "
    "weighted regions are added up.",
    finished(lambda r, scores, weights: ((weights[..., None] * r).mean(1), weights)),
)

EXERCISE.misconception(
    "plain-mean",
    "The weights are not used",
    "Your context is the plain mean of the regions. The weights say how much of each region goes "
    "in.",
    finished(lambda r, scores, weights: (r.mean(1), weights)),
)

EXERCISE.misconception(
    "best-region-only",
    "One region takes all",
    "You take the region with the largest weight. That is a hard choice, and nothing can be "
    "learned through an argmax: mix all regions.",
    finished(lambda r, scores, weights: (r[torch.arange(len(r)), weights.argmax(-1)], weights)),
)

EXERCISE.misconception(
    "context-of-projections",
    "A context of projections",
    "You mix `regions @ w_r`. The projection is for the scores; what is brought back are the "
    "regions themselves, of size D.",
    lambda regions, state, w_r, w_s, v: (
        mixed(regions @ w_r, weights := energies(regions, state, w_r, w_s, v).softmax(-1)),
        weights,
    ),
)

EXERCISE.misconception(
    "context-of-the-hidden-layer",
    "A context of hidden units",
    "You mix the hidden layer, tanh(…), of size A. It is there for the scores; what is brought "
    "back are the regions themselves, of size D.",
    lambda *args: (
        mixed(hidden := hidden_layer(*args[:4]), weights := (hidden @ args[4]).softmax(-1)),
        weights,
    ),
)

EXERCISE.misconception(
    "not-summed",
    "Not added up yet",
    "Your context is (B, R, D): the weighted regions, side by side. Add them up.",
    finished(lambda r, scores, weights: (weights[..., None] * r, weights)),
)

EXERCISE.misconception(
    "axis-of-one",
    "An axis of length one too many",
    "Your context is (B, 1, D). The text asks for (B, D): take the axis of length one out.",
    finished(lambda r, scores, weights: (weights[:, None] @ r, weights)),
)

EXERCISE.misconception(
    "axis-of-one",
    "An axis of length one too many",
    "Your context is (B, 1, D) and your weights are (B, 1, R). The axis was useful for the "
    "product; take it out of both again.",
    finished(lambda r, scores, weights: (weights[:, None] @ r, weights[:, None])),
)

EXERCISE.misconception(
    "weights-missing",
    "The weights are missing",
    "You return the context alone. The weights are what we want to see: return both, context "
    "first.",
    finished(lambda r, scores, weights: mixed(r, weights)),
)

EXERCISE.misconception(
    "scores-returned",
    "Scores returned instead of weights",
    "Your context is right, but what you return beside it are the scores before the softmax.",
    finished(lambda r, scores, weights: (mixed(r, weights), scores)),
)

EXERCISE.misconception(
    "softmax-over-hidden",
    "Softmax over the hidden layer",
    "You take the softmax over the hidden units, before v. The regions must share the attention: "
    "first one score per region, then softmax.",
    lambda regions, *others: (
        mixed(regions, weights := hidden_layer(regions, *others[:3]).softmax(-1) @ others[3]),
        weights,
    ),
)
