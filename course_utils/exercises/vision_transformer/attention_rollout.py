"""Attention rollout: `attention_rollout(weights)`.

List of (B, H, T, T), first layer first -> (B, T, T).
"""

from typing import Any

import torch
from torch import Tensor

from course_utils import vision_transformer as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import rows_sum_to_one

from ._rollouts import half, multiplied, rollout, rows, steps


def cases(draw: Draw) -> list[Case]:
    batch, heads, tokens, depth, other = draw.sizes(5, low=2, high=7)

    def layers(count: int, heads: int, tokens: int, sharpness: float = 2.0) -> list[Tensor]:
        shape = batch, heads, tokens, tokens
        return [draw.normal(*shape, scale=sharpness).softmax(-1) for _ in range(count)]

    nearly = [rows(layer + 1e-3) for layer in layers(3, heads, other)]
    dropped = [layer * draw.mask(*layer.shape, keep=0.8) for layer in layers(depth, heads, tokens)]
    example = [torch.tensor([[[row, row]]]) for row in ([0.0, 1.0], [1.0, 0.0])]

    def case(label: str, weights: list[Tensor], **more: Any) -> Case:
        return Case(label, args=(weights,), **more)

    return [
        case("the example of the text: two layers, two tokens", example),
        case(f"{depth} layers, {heads} heads, {tokens} tokens", layers(depth, heads, tokens)),
        case(f"{tokens} layers, {depth} heads, {heads} tokens", layers(tokens, depth, heads)),
        case("two sharp layers", layers(2, heads, other, 6.0)),
        case("three even layers", nearly),
        # an edge case: normalising rows that sum to one changes nothing but the gradient
        case("values and gradients", layers(3, heads, other), group="edge", gradients=True),
        case("one layer", layers(1, heads, tokens), group="edge", gradients=True),
        case("one head", layers(depth, 1, tokens), group="edge"),
        case("rows that sum to less than one (dropout was on)", dropped, group="edge"),
    ]


EXERCISE = Exercise(
    name="attention_rollout",
    points=4,
    section="Attention rollout",
    reference=ref.attention_rollout,
    returns=("rollout (B, T, T)",),
    cases=cases,
    properties=(rows_sum_to_one(0, "rollout"),),
    picture=weights_picture(0),
)

EXERCISE.misconception(
    "order-reversed",
    "The layers are multiplied in the wrong order",
    "You multiply later layers from the right. A token of layer 2 looks at the outputs of layer "
    "1, so layer 2's matrix is applied to what layer 1 has made: it stands on the left.",
    rollout(join=lambda step, total: total @ step),
)

EXERCISE.misconception(
    "no-identity",
    "The residual connection is forgotten",
    "You multiply the attention matrices alone. Every block also passes its input on unchanged: "
    "half of each step is the identity.",
    rollout(mix=lambda a, eye: a),
)

EXERCISE.misconception(
    "half-for-the-identity",
    "A half everywhere is not the identity",
    "You add 0.5 to every entry. The residual connection passes each token on to *itself*: only "
    "the diagonal gets the half.",
    rollout(mix=lambda a, eye: 0.5 * a + 0.5),
)

EXERCISE.misconception(
    "not-normalised",
    "The rows no longer sum to one",
    "You add the identity without halving and without normalising, so that every layer doubles "
    "the sum of a row.",
    rollout(mix=lambda a, eye: a + eye, norm=lambda a: a),
)

EXERCISE.misconception(
    "rows-not-normalised",
    "The rows are not normalised",
    "Half and half keeps rows at one only if they were at one before. With dropout on they are "
    "not: divide each row by its sum.",
    rollout(norm=lambda a: a),
)

EXERCISE.misconception(
    "normalised-before-mixing",
    "Normalised before the identity is mixed in",
    "You divide the rows of the attention by their sums, and mix in the identity afterwards. That "
    "gives attention back what dropout took from it. The text asks for the other order: half and "
    "half first, then divide each row by its sum.",
    rollout(fuse=lambda layer: rows(layer.mean(1)), norm=lambda a: a),
    rollout(fuse=lambda layer: rows(layer).mean(1), norm=lambda a: a),
)

EXERCISE.misconception(
    "normalised-at-the-end",
    "Normalised once, at the end",
    "You normalise the product instead of each layer. Where rows of a layer sum to different "
    "amounts, that is not the same.",
    lambda weights: rows(rollout(norm=lambda a: a)(weights)),
)

EXERCISE.misconception(
    "columns-normalised",
    "The columns sum to one, not the rows",
    "You normalise along the queries. What a token receives sums to one, and that is a row.",
    rollout(norm=lambda a: a / a.sum(-2, keepdim=True)),
)

EXERCISE.misconception(
    "missing-keepdim",
    "The sums are lined up with the columns",
    "`sum(-1)` drops the axis, and broadcasting divides column j by the sum of row j. You do not "
    "notice as long as all sums are one. `keepdim=True` keeps them in their rows.",
    rollout(norm=lambda a: a / a.sum(-1)[:, None, :]),
)

EXERCISE.misconception(
    "average-of-layers",
    "Layers are averaged",
    "You average the layers. They act one after the other: what layer 2 gathers are mixtures that "
    "layer 1 has made. That is a product.",
    lambda weights: torch.stack(steps(weights)).mean(0),
)

EXERCISE.misconception(
    "last-layer-only",
    "Only the last layer",
    "You use the last layer alone. Its keys are no longer patches but mixtures of patches: the "
    "earlier layers say of which.",
    lambda weights: torch.stack(steps(weights))[-1],
)

EXERCISE.misconception(
    "raw-last-layer",
    "Only the last layer's raw attention",
    "You return the last layer's mean attention. Its keys are no longer patches but mixtures of "
    "patches: the earlier layers say of which.",
    lambda weights: weights[-1].mean(1),
)

EXERCISE.misconception(
    "max-over-heads",
    "The maximum over heads",
    "You take the largest head at each place. Others do that too, but the text asks for the mean.",
    rollout(fuse=lambda layer: layer.amax(1)),
)

EXERCISE.misconception(
    "sum-over-heads",
    "The sum over heads",
    "You add the heads up, so attention weighs as many times more than the identity as there are "
    "heads. The text asks for their mean.",
    rollout(fuse=lambda layer: layer.sum(1)),
)

EXERCISE.misconception(
    "mean-over-batch",
    "The mean over the batch",
    "You average over axis 0, the batch: all images are mixed, and the heads stay apart. The "
    "weights are (B, H, T, T): which axis are the heads?",
    lambda weights: multiplied(half(layer.mean(0)) for layer in weights),
)

EXERCISE.misconception(
    "first-head",
    "Only one head",
    "You follow head 0 alone. The text asks for the mean over all heads.",
    rollout(fuse=lambda layer: layer[:, 0]),
)

EXERCISE.misconception(
    "heads-multiplied-apart",
    "Heads are averaged at the end",
    "You multiply head by head and average the products. But the heads of a layer are mixed "
    "before the next layer reads them: average within each layer.",
    lambda weights: multiplied(half(layer) for layer in weights).mean(1),
)

EXERCISE.misconception(
    "elementwise-product",
    "An elementwise product",
    "You multiply entry by entry. To follow a path from token to token through the layers you "
    "need the matrix product.",
    rollout(join=lambda step, total: step * total if total.stride(0) else step),
)

EXERCISE.misconception(
    "identity-once",
    "The residual is added only once",
    "You multiply the raw attention matrices and mix in the identity at the end. There is a "
    "residual around every layer.",
    lambda weights: rows(half(rollout(mix=lambda a, _: a)(weights))),
)

EXERCISE.misconception(
    "only-cls-row",
    "Only the row of CLS",
    "You return the row of the CLS token. That is what will be looked at, but the text asks for "
    "the whole matrix (B, T, T).",
    lambda weights: ref.attention_rollout(weights)[:, 0],
    lambda weights: ref.attention_rollout(weights)[:, 0, 1:],
)

EXERCISE.misconception(
    "transposed",
    "Rows and columns are swapped",
    "Your matrix is transposed: queries are the rows, keys the columns.",
    lambda weights: ref.attention_rollout(weights).mT,
)
