"""What the decoder is given: `shift_right(targets, bos)`.

(B, T) int -> (B, T) int: bos, then all targets but the last.
"""

import torch
from torch import Tensor

from course_utils import seq2seq_attention as ref
from course_utils.judging.exercise import Case, Draw, Exercise, Outcome, Property


def cases(draw: Draw) -> list[Case]:
    b, t, other = draw.sizes(3, low=2, high=7)
    padded = draw.integers(3, 20, t, b)
    padded[0, -1:] = padded[1, 1:] = 0  # sentences of different lengths
    return [
        Case("the example of the text", args=(torch.tensor([[7, 8, 9], [4, 5, 0]]), 1)),
        Case(f"{b} sentences of {t} tokens", args=(draw.integers(5, 30, b, t), 1)),
        Case(
            f"{other} sentences of {b} tokens, another bos",
            args=(draw.integers(5, 30, other, b), draw.integer(31, 40)),
        ),
        Case("as many sentences as tokens", args=(draw.integers(5, 30, t, t), 2)),
        Case("padded sentences", args=(padded, 1)),
        Case("bos is 0", args=(draw.integers(5, 30, t, other), 0)),
        Case("sentences of one token", args=(draw.integers(5, 30, b, 1), 3), group="edge"),
        Case("one sentence", args=(draw.integers(5, 30, 1, t), 4), group="edge"),
    ]


def whole_numbers(case: Case, got: Outcome) -> str | None:
    value = got.value
    if isinstance(value, Tensor) and (value.is_floating_point() or value.dtype == torch.bool):
        return f"the result is of type {value.dtype}, but an embedding looks up whole numbers"
    return None


EXERCISE = Exercise(
    name="shift_right",
    points=2,
    section="The go symbol and teacher forcing",
    reference=ref.shift_right,
    returns=("decoder inputs (B, T)",),
    cases=cases,
    properties=(Property("token ids stay whole numbers", whole_numbers),),
)


def bos_column(targets: Tensor, bos: int) -> Tensor:
    return torch.full_like(targets[:, :1], bos)


EXERCISE.misconception(
    "shifted-left",
    "Shifted the other way",
    "Step t of your result holds a target that comes later. The decoder would be shown the answer "
    "before it gives it; at step t it may know what was written before t, and nothing else.",
    lambda targets, bos: torch.cat([targets[:, 1:], bos_column(targets, bos)], dim=1),
)


@EXERCISE.misconception(
    "not-shifted",
    "The first token is overwritten, nothing is shifted",
    "You put bos in place of the first target and leave the rest where it was: from the second "
    "step on, the decoder is given the very token that it has to predict. The loss falls to zero "
    "and nothing has been learned.",
)
def first_replaced(targets: Tensor, bos: int) -> Tensor:
    return torch.cat([bos_column(targets, bos), targets[:, 1:]], dim=1)


EXERCISE.misconception(
    "unchanged",
    "The targets themselves",
    "Your result is the targets as they were. Each step is then given its own answer. What does "
    "the decoder know at its first step?",
    lambda targets, bos: targets,
)

EXERCISE.misconception(
    "one-too-long",
    "One token too many",
    "You put bos in front and drop nothing, so the input has one step more than the targets. No "
    "step needs the last target as input: after it there is nothing to predict.",
    lambda targets, bos: torch.cat([bos_column(targets, bos), targets], dim=1),
)

EXERCISE.misconception(
    "one-too-short",
    "One token too few",
    "You drop the last target but put nothing in front. The first step has no input then, and "
    "every other step is one place off.",
    lambda targets, bos: targets[:, :-1],
)

EXERCISE.misconception(
    "rolled-around",
    "The last token comes round to the front",
    "`roll` brings the last target to the first place: the decoder begins with the end of the "
    "sentence. The first place belongs to bos.",
    lambda targets, bos: targets.roll(1, dims=1),
)

EXERCISE.misconception(
    "bos-at-the-end",
    "bos at the end",
    "You append bos after the targets. It is what the decoder is given before it has written "
    "anything: it comes first.",
    lambda targets, bos: torch.cat([targets[:, :-1], bos_column(targets, bos)], dim=1),
)


@EXERCISE.misconception(
    "wrong-axis",
    "Shifted along the batch",
    "You shift the sentences of the batch, not the tokens in them: each sentence is given the "
    "tokens of its neighbour. Time is axis 1.",
)
def along_the_batch(targets: Tensor, bos: int) -> Tensor:
    return torch.cat([torch.full_like(targets[:1], bos), targets[:-1]], dim=0)


EXERCISE.misconception(
    "reversed",
    "The order is reversed",
    "You turn the sentence round. The decoder is given its past in the order in which it was "
    "written.",
    lambda targets, bos: torch.cat([bos_column(targets, bos), targets[:, :-1].flip(1)], dim=1),
)

EXERCISE.misconception(
    "fixed-bos",
    "bos is not always 1",
    "You write the number 1 whatever `bos` is. Which number it has depends on the vocabulary: use "
    "the argument.",
    lambda targets, bos: ref.shift_right(targets, 1),
)

EXERCISE.misconception(
    "zeros-in-front",
    "bos is not always 0",
    "You put zeros in front. That number is padding in most vocabularies; the caller says with "
    "`bos` which one begins a sentence.",
    lambda targets, bos: ref.shift_right(targets, 0),
)


@EXERCISE.misconception(
    "changes-the-targets",
    "The targets are overwritten",
    "You shift inside the tensor that you were given. The caller needs the targets once more, for "
    "the loss; now the loss asks for the input.",
)
def shifted_in_place(targets: Tensor, bos: int) -> Tensor:
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = bos
    return targets


EXERCISE.misconception(
    "decimal-ids",
    "Ids became decimal numbers",
    "The values are right, but they are decimal numbers now, and an embedding looks up whole "
    "ones. `torch.ones` and `torch.zeros` make decimals unless they are told otherwise.",
    lambda targets, bos: ref.shift_right(targets, bos).float(),
)
