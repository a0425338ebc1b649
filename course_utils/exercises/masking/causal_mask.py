"""Causal mask: `causal_mask(length)` -> (T, T) bool, True on and below the diagonal."""

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils.exercises.masking._shared import ADDITIVE_MASK, NOT_BOOLEAN, additive
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture


def cases(draw: Draw) -> list[Case]:
    a, b = draw.sizes(2, low=3, high=9)
    return [
        Case(f"{a} steps", args=(a,)),
        Case(f"{b} steps", args=(b,)),
        Case("two steps", args=(2,), group="edge"),
        Case("one step", args=(1,), group="edge"),
    ]


EXERCISE = Exercise(
    name="causal_mask",
    points=2,
    section="The causal mask",
    reference=ref.causal_mask,
    returns=("the mask (T, T)",),
    cases=cases,
    picture=weights_picture(0),
)

EXERCISE.misconception(
    "strict-mask",
    "A step may not look at itself",
    "Your diagonal is False: a step sees only what came *before* it. The first step is left with "
    "nothing at all, and softmax of nothing is NaN. A step knows its own input.",
    lambda length: ref.causal_mask(length).tril(-1),
)


@EXERCISE.misconception(
    "strict-mask",
    "Only the first step may look at itself",
    "You open the diagonal for the first step alone, which would otherwise see nothing. Every step "
    "knows its own input, not only the first.",
)
def strict_but_first(length: int) -> Tensor:
    mask = ref.causal_mask(length).tril(-1)
    mask[:1, :1] = True
    return mask


EXERCISE.misconception(
    "leaks-one-step",
    "One step of the future is visible",
    "Your mask also allows the next step (diagonal=1). In a language model that is exactly the "
    "answer: the model will copy it.",
    lambda length: torch.ones(length, length, dtype=torch.bool).tril(1),
)

EXERCISE.misconception(
    "sees-only-the-future",
    "The upper triangle",
    "Your rows allow the present and the *future*. Row t is the step that looks, columns are the "
    "steps that are looked at: which of them lie in the past?",
    lambda length: ref.causal_mask(length).T,
)

EXERCISE.misconception(
    "inverted",
    "True and False swapped",
    "You mark what is forbidden with True. That is what `nn.MultiheadAttention` wants; in this "
    "course, as in `F.scaled_dot_product_attention`, True means *may attend*.",
    lambda length: ~ref.causal_mask(length),
)

EXERCISE.misconception(
    "nothing-masked",
    "Nothing is forbidden",
    "Your mask allows everything: every step sees the whole future.",
    lambda length: torch.ones(length, length, dtype=torch.bool),
)

EXERCISE.misconception(
    "mirrored",
    "The wrong diagonal",
    "Your triangle leans on the other diagonal: the first step sees nothing but the last one. "
    "Check row 0: it may look at column 0 only.",
    lambda length: ref.causal_mask(length).flip(1),
)

EXERCISE.misconception(
    "mirrored",
    "The wrong diagonal",
    "Your triangle stands on its head: row 0 sees everything. Row 0 may look at column 0 only, "
    "the last row at all columns.",
    lambda length: ref.causal_mask(length).flip(0),
)

EXERCISE.misconception(
    "only-itself",
    "Only the diagonal",
    "Each step sees itself alone. It may also look at everything before it.",
    lambda length: torch.eye(length, dtype=torch.bool),
)

EXERCISE.misconception(
    "not-boolean",
    "Numbers instead of truth values",
    NOT_BOOLEAN,
    lambda length: ref.causal_mask(length).float(),
    lambda length: ref.causal_mask(length).int(),
)

EXERCISE.misconception(
    "additive-mask",
    "A mask to be added",
    ADDITIVE_MASK,
    lambda length: additive(ref.causal_mask(length)),
)

EXERCISE.misconception(
    "extra-axis",
    "An axis too many",
    "Your mask has a leading axis. Asked for is (T, T): broadcasting adds the axes of batch and "
    "heads by itself.",
    lambda length: ref.causal_mask(length)[None],
)
