"""Switch a head off: `without_head(mha, head)`.

nn.MultiheadAttention, a number -> nn.MultiheadAttention in which that head writes nothing.
"""

import copy
from typing import Any

import torch
from torch.nn import MultiheadAttention

from course_utils.exercises.multi_head_attention import _silence as silence
from course_utils.exercises.multi_head_attention.from_torch import torch_state
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Outcome, Property
from course_utils.judging.runner import Opaque
from course_utils.judging.toys import Toy


def without_head(mha: MultiheadAttention, head: int) -> MultiheadAttention:
    silent = copy.deepcopy(mha)
    size = mha.embed_dim // mha.num_heads
    with torch.no_grad():  # stored as (out, in): what a head writes is in its columns
        silent.out_proj.weight[:, head * size : (head + 1) * size] = 0
    return silent


def cases(draw: Draw) -> list[Case]:
    batch, queries, keys, heads, size = draw.sizes(5, low=2, high=6)
    dim = heads * size

    def case(label: str, heads: int, head: int, group: str = "basic") -> Case:
        toy = Toy("torch_attention", torch_state(draw, dim), {"dim": dim, "heads": heads})
        inputs = tuple(draw.normal(batch, steps, dim) for steps in (queries, keys, keys))
        return Case(label, args=(toy, head), then=(Call(inputs),), group=group)

    return [
        case(f"{heads} heads of {size}, without head 1", heads, 1),
        case(f"{size} heads of {heads}, without the last", size, size - 1),
        case(f"{heads} heads of {size}, without head 0", heads, 0),
        case("one head, and that one off", 1, 0, group="edge"),
        case("as many heads as features", dim, draw.integer(2, dim - 1), group="edge"),
    ]


def is_torchs(case: Case, got: Outcome) -> str | None:
    if isinstance(got.value, Opaque) and got.value.type == "MultiheadAttention":
        return None
    name = got.value.type if isinstance(got.value, Opaque) else type(got.value).__name__
    return f"what comes back is {name}, not an nn.MultiheadAttention"


EXERCISE = Exercise(
    name="without_head",
    kind="callable",
    points=4,
    section="Switch a head off",
    reference=without_head,
    returns=("an nn.MultiheadAttention",),
    cases=cases,
    tolerance=2e-5,
    properties=(Property("returns an nn.MultiheadAttention", is_torchs),),
)

EXERCISE.misconception(
    "rows-of-w-o",
    "Rows of W_O in place of columns",
    "You set rows of `out_proj.weight` to zero. torch stores (out, in): a row belongs to one "
    "feature of the *output*, to which all heads write. What one head writes comes in through "
    "the other axis.",
    silence.edited(silence.rows_of_out),
    silence.edited(silence.rows_and_bias_of_out),
    section="The output projection is a sum over heads",
)

EXERCISE.misconception(
    "looks-everywhere",
    "The head looks everywhere, and still writes",
    "You set queries or keys of the head to zero. Then all its scores are 0, and softmax of equal "
    "scores gives every step the same weight: the head writes the plain mean of its values. To "
    "silence it, change what it writes, not where it looks.",
    silence.rows_of(0),
    silence.rows_of(1),
    silence.rows_of(0, 1),
    silence.rows_of(0, bias=False),
    silence.rows_of(1, bias=False),
    silence.rows_of(0, 1, bias=False),
)

EXERCISE.misconception(
    "weights-changed",
    "It is silent, but it looks elsewhere as well",
    "You set queries or keys of the head to zero besides its values. It writes nothing now, but "
    "its attention weights have changed as well. The text asks that they stay as they were: "
    "somebody may want to see where a head looked that was switched off.",
    silence.rows_of(0, 1, 2),
    silence.rows_of(0, 2),
    silence.rows_of(1, 2),
)

EXERCISE.misconception(
    "value-bias-left",
    "The bias of the values still writes",
    "You set the weights of the head's values to zero and leave their bias. Then every value *is* "
    "the bias, so is their mean, and the head adds the same vector to every step.",
    silence.rows_of(2, bias=False),
    silence.rows_of(0, 1, 2, bias=False),
)

EXERCISE.misconception(
    "output-bias-removed",
    "The bias of the output went with it",
    "You also set the bias of `out_proj`, or a part of it, to zero. It belongs to no head: the "
    "output is the sum of what the heads write, plus the bias, once.",
    silence.edited(silence.bias_as_well),
    silence.edited(silence.part_of_the_bias),
    section="The output projection is a sum over heads",
)

EXERCISE.misconception(
    "all-the-others",
    "Only this head is left",
    "You keep the head that should go, and silence all the others.",
    silence.edited(silence.all_others),
)

EXERCISE.misconception(
    "counted-from-one",
    "The heads are counted from 1",
    "You silence the head before the one that was meant. Heads are counted from 0.",
    silence.columns(silence.one_before),
)

EXERCISE.misconception(
    "every-h-th-column",
    "Every H-th column",
    "You take every H-th column. A head has contiguous features: head 0 the first d, head 1 the "
    "next d.",
    silence.columns(silence.interleaved),
    section="Split and merge",
)

EXERCISE.misconception(
    "as-wide-as-there-are-heads",
    "The number of heads taken for their size",
    "You silence H columns beginning at head · H. A head has d = D / H features: that is the width "
    "of its block.",
    silence.columns(silence.wrong_size),
    section="Split and merge",
)

EXERCISE.misconception(
    "one-column",
    "A single column",
    "You silence one column. A head has d = D / H of them.",
    silence.columns(silence.single),
    section="Split and merge",
)

EXERCISE.misconception(
    "others-made-louder",
    "The other heads are made louder",
    "You multiply what is left, as dropout does in training. Here the others must stay as they "
    "are: the question is what is missing without this head.",
    silence.edited(silence.louder),
)

EXERCISE.misconception(
    "nothing-happens",
    "The head still writes",
    "What comes back computes the same as before. Do you write into the parameter itself, or into "
    "a tensor that was made of it?",
    silence.edited(lambda made, head: None),
    lambda mha, head: mha,
)


@EXERCISE.misconception(
    "returns-nothing",
    "Nothing is returned",
    "The answer returns None. Is the `return` missing?",
)
def nothing(mha: Any, head: int) -> None:
    return None
