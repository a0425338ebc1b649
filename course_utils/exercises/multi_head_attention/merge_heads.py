"""Merge the heads again: `merge_heads(x)`, (B, H, T, d) -> (B, T, H * d)."""

import ast

import torch
from torch import Tensor

from course_utils import multi_head_attention as ref
from course_utils.exercises.multi_head_attention._shared import merge_by_view, merge_interleaved
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    batch, heads, length, size, other = draw.sizes(5)
    counted = torch.arange(48.0).view(2, 4, 3, 2) + draw.integer(0, 50)  # small enough to be read
    return [
        Case(
            "the example of exercise 1, backwards",
            args=(torch.tensor([[[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]]),),
        ),
        Case("4 heads of 2 features, counted through, 3 steps", args=(counted,)),
        Case(
            f"{heads} heads of {size} features, {length} steps",
            args=(draw.normal(batch, heads, length, size),),
        ),
        Case(
            f"{size} heads of {heads} features, {other} steps",
            args=(draw.normal(batch, size, other, heads),),
        ),
        Case("gradients arrive", args=(draw.normal(batch, heads, length, size),), gradients=True),
        Case(
            "what split_heads makes",
            args=(ref.split_heads(draw.normal(batch, length, heads * size), heads),),
        ),
        Case("one head", args=(draw.normal(batch, 1, length, size),), group="edge"),
        Case("one step", args=(draw.normal(batch, heads, 1, size),), group="edge"),
        Case("heads of one feature", args=(draw.normal(batch, heads, length, 1),), group="edge"),
    ]


EXERCISE = Exercise(
    name="merge_heads",
    points=2,
    section="Split and merge",
    reference=ref.merge_heads,
    returns=("features (B, T, H * d)",),
    cases=cases,
)

EXERCISE.misconception(
    "view-for-transpose",
    "The shape is right, the contents are not",
    "You ask `view` or `reshape` for (B, T, H * d) while the heads still stand in front of the "
    "time. Row 0 then holds several time steps of head 0 instead of step 0 of every head. Undo "
    "the steps of `split_heads` in the reverse order.",
    merge_by_view,
)


def views_a_transpose(tree: ast.AST) -> bool:
    return bool(syntax.calls(tree, "view")) and not syntax.calls(tree, "contiguous")


@EXERCISE.misconception(
    "view-of-a-transposed-tensor",
    "A transposed tensor cannot be viewed like that",
    "A transpose only changes how the memory is walked through, and `view` refuses to glue "
    "together two axes that do not lie side by side in memory. The error message of torch names "
    "what to call instead; it copies where it must.",
    syntax=views_a_transpose,
)
def merge_view_of_transpose(x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return x.transpose(1, 2).view(batch, length, heads * size)


EXERCISE.misconception(
    "interleaved",
    "The heads are shuffled into one another",
    "Your features are ordered (d, H): first feature 0 of every head, then feature 1 … Asked for "
    "is the order of `split_heads`: all of head 0, then all of head 1.",
    merge_interleaved,
)


@EXERCISE.misconception(
    "wrong-axes",
    "The wrong two axes change places",
    "You transpose time and features, then glue together what lies side by side. The heads must "
    "come to stand next to their features: which axis has to move?",
)
def merge_wrong_axes(x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return x.transpose(2, 3).reshape(batch, length, heads * size)


EXERCISE.misconception(
    "heads-along-time",
    "The heads are strung along the time",
    "Your result is (B, H * T, d): one long sequence. Every time step should keep its place and "
    "get the features of all its heads.",
    lambda x: x.flatten(1, 2),
)

EXERCISE.misconception(
    "heads-averaged",
    "The heads are averaged",
    "You take the mean over the heads, so that nobody can tell any more which head said what. The "
    "heads stand side by side in the features.",
    lambda x: x.mean(1),
)

EXERCISE.misconception(
    "heads-added",
    "The heads are added",
    "You add the heads up. That happens later, and with another matrix for each head (that "
    "is what W_O does). Here they stand side by side.",
    lambda x: x.sum(1),
)

EXERCISE.misconception(
    "one-head-only",
    "Only one head comes back",
    "You return the first head. The others are lost.",
    lambda x: x[:, 0],
)

EXERCISE.misconception(
    "not-flattened",
    "Still four axes",
    "Your result is (B, T, H, d). One step is missing: the last two axes become one.",
    lambda x: x.transpose(1, 2),
)

EXERCISE.misconception(
    "features-before-time",
    "Features and time have changed places",
    "Your result is (B, H * d, T). The time is the second axis, the features the last.",
    lambda x: ref.merge_heads(x).mT,
)
