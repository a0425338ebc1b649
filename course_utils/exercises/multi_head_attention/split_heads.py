"""Split the features into heads: `split_heads(x, heads)`, (B, T, D) -> (B, H, T, D / H)."""

import torch
from torch import Tensor

from course_utils import multi_head_attention as ref
from course_utils.exercises.multi_head_attention._shared import (
    split_by_view,
    split_interleaved,
    view,
)
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    batch, length, heads, size, other = draw.sizes(5)
    counted = torch.arange(48.0).view(2, 3, 8) + draw.integer(0, 50)  # small enough to be read
    return [
        Case("the example of the text", args=(torch.arange(1.0, 9.0).view(1, 2, 4), 2)),
        Case("3 steps of 8 features, counted through, 4 heads", args=(counted, 4)),
        Case(
            f"{length} steps of {heads * size} features, {heads} heads",
            args=(draw.normal(batch, length, heads * size), heads),
        ),
        Case(f"{other} steps, {size} heads", args=(draw.normal(batch, other, size * heads), size)),
        Case(
            "gradients arrive",
            args=(draw.normal(batch, length, heads * size), heads),
            gradients=True,
        ),
        Case("one head", args=(draw.normal(batch, length, other), 1), group="edge"),
        Case(
            "as many heads as features", args=(draw.normal(batch, length, size), size), group="edge"
        ),
        Case(
            "heads that do not divide the features",
            args=(draw.normal(batch, length, heads * size + 1), heads),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "8 features, 6 heads: 2 are left over",
            args=(draw.normal(batch, length, 8), 6),
            group="edge",
            raises=ValueError,
        ),
        Case(
            "more heads than features",
            args=(draw.normal(batch, length, heads), heads + 2),
            group="edge",
            raises=ValueError,
        ),
    ]


EXERCISE = Exercise(
    name="split_heads",
    points=3,
    section="Split and merge",
    reference=ref.split_heads,
    returns=("heads (B, H, T, D / H)",),
    cases=cases,
)

EXERCISE.misconception(
    "view-for-transpose",
    "The shape is right, the contents are not",
    "You ask `view` or `reshape` for (B, H, T, d) at once. The numbers stay where they are in "
    "memory, so head 0 is filled with the first few whole tokens instead of a slice of every "
    "token. `view` can cut an axis into two neighbouring ones; it cannot change their order.",
    split_by_view,
)

EXERCISE.misconception(
    "not-transposed",
    "The heads come after the time steps",
    "Your result is (B, T, H, d). Attention multiplies the last two axes, so the heads must stand "
    "in front of the time, beside the batch: which two axes must trade places?",
    lambda x, heads: ref.split_heads(x, heads).transpose(1, 2),
)

EXERCISE.misconception(
    "interleaved",
    "Every H-th feature instead of a slice",
    "You cut the features into (d, H): head h gets the features h, h + H, h + 2H … Asked for are "
    "contiguous slices: the first d features belong to head 0. Which of the two new axes must be "
    "the slow one?",
    split_interleaved,
)

EXERCISE.misconception(
    "view-into-the-batch",
    "Heads folded into the batch, and mixed up",
    "You make (B * H, T, d) straight from (B, T, D). The heads need their own axis, and "
    "folding them like this tears the tokens apart as well: split the last axis first.",
    lambda x, heads: view(x, heads, x.shape[0] * heads, x.shape[1], x.shape[2] // heads),
)

EXERCISE.misconception(
    "heads-in-the-batch",
    "The heads are stacked on the batch axis",
    "You put the heads one after another along the batch. They need their own axis, the "
    "second one: (B, H, T, d).",
    lambda x, heads: torch.cat(list(ref.split_heads(x, heads).unbind(1))),
)

EXERCISE.misconception(
    "heads-first",
    "The heads stand in front of the batch",
    "Your result is (H, B, T, d). The batch stays the first axis, the heads are the second.",
    lambda x, heads: ref.split_heads(x, heads).transpose(0, 1),
)

EXERCISE.misconception(
    "features-before-time",
    "Features and time have changed places",
    "Your result is (B, H, d, T). Within a head each row is a time step, as it was before: (B, H, "
    "T, d).",
    lambda x, heads: ref.split_heads(x, heads).mT,
)


@EXERCISE.misconception(
    "size-for-heads",
    "The number of heads taken for their size",
    "You make heads of size `heads`. The argument says how many there are; their size is D "
    "divided by it.",
)
def split_size_for_heads(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return view(x, heads, batch, length, dim // heads, heads).transpose(1, 2)


@EXERCISE.misconception(
    "remainder-dropped",
    "The last features are dropped",
    "Where the heads do not divide the features, you drop the rest without a word. A layer that "
    "silently ignores features is hard to find later: raise a ValueError.",
)
def split_truncated(x: Tensor, heads: int) -> Tensor:
    size = x.shape[-1] // heads
    return ref.split_heads(x[..., : size * heads], heads)


@EXERCISE.misconception(
    "unchecked",
    "The error is not the one that was asked for",
    "Where the heads do not divide the features you let `view` fail by itself. Asked for is a "
    "ValueError, which tells the caller what was wrong with the arguments.",
)
def split_unchecked(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return x.reshape(batch, length, heads, dim // heads).transpose(1, 2)


@EXERCISE.misconception(
    "assert-for-raise",
    "An assert is not a ValueError",
    "`assert` raises AssertionError, and disappears when Python runs with -O. Input from outside "
    "is checked with `if …: raise ValueError(…)`.",
)
def split_asserted(x: Tensor, heads: int) -> Tensor:
    assert x.shape[-1] % heads == 0
    return ref.split_heads(x, heads)


EXERCISE.misconception(
    "no-heads-made",
    "Nothing was split",
    "The features come back in one piece. Cut the last axis into heads, then move that axis in "
    "front of the time.",
    lambda x, heads: view(x, heads, *x.shape),
)
