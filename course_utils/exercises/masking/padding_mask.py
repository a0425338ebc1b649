"""Padding mask: `padding_mask(lengths, max_len)`.

(B,) int -> (B, max_len) bool, True on real tokens.
"""

import torch

from course_utils import masking as ref
from course_utils.exercises.masking._shared import ADDITIVE_MASK, NOT_BOOLEAN, additive
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture


def cases(draw: Draw) -> list[Case]:
    b, n = draw.sizes(2, low=3, high=8)
    mixed = torch.cat([torch.tensor([n]), draw.integers(1, n - 1, b - 1)])[draw.permutation(b)]
    return [
        Case(f"{b} sentences, {n} places", args=(mixed, n)),
        Case("the example of the text", args=(torch.tensor([2, 4, 0]), 4)),
        Case("all shorter than the longest place", args=(draw.integers(1, n - 1, b), n + 2)),
        Case(
            "as many sentences as places",
            args=(torch.cat([torch.tensor([2]), draw.integers(1, n, n - 1)]), n),
        ),
        Case("an empty sentence", args=(torch.tensor([2, 0, n]), n), group="edge"),
        Case("one sentence", args=(torch.tensor([n - 1]), n), group="edge"),
        Case("one place", args=(torch.tensor([1, 0, 1]), 1), group="edge"),
    ]


EXERCISE = Exercise(
    name="padding_mask",
    points=2,
    section="Padding",
    reference=ref.padding_mask,
    returns=("the mask (B, max_len)",),
    cases=cases,
    picture=weights_picture(0, "sentences", "positions"),
)

EXERCISE.misconception(
    "one-too-many",
    "One place too many",
    "Each of your rows has one True more than the sentence has words: the first place of padding "
    "counts as a word. A sentence of length 3 has the places 0, 1 and 2.",
    lambda lengths, max_len: torch.arange(max_len) <= lengths[:, None],
)

EXERCISE.misconception(
    "one-too-few",
    "One place too few",
    "The last word of each sentence is taken for padding. Places count from 0.",
    lambda lengths, max_len: torch.arange(1, max_len + 1) < lengths[:, None],
)

EXERCISE.misconception(
    "inverted",
    "True and False swapped",
    "You mark the padding with True. In this course True means *may attend*; torch's "
    "`key_padding_mask` has it the other way round, which is why it must be said each time.",
    lambda lengths, max_len: ~ref.padding_mask(lengths, max_len),
)

EXERCISE.misconception(
    "not-boolean",
    "Numbers instead of truth values",
    NOT_BOOLEAN,
    lambda lengths, max_len: ref.padding_mask(lengths, max_len).float(),
    lambda lengths, max_len: ref.padding_mask(lengths, max_len).int(),
)

EXERCISE.misconception(
    "additive-mask",
    "A mask to be added",
    ADDITIVE_MASK,
    lambda lengths, max_len: additive(ref.padding_mask(lengths, max_len)),
)

EXERCISE.misconception(
    "length-from-the-batch",
    "As long as the longest sentence",
    "Your mask is as wide as the longest sentence of this batch. The tensor that it belongs to "
    "may be wider: use `max_len`.",
    lambda lengths, max_len: ref.padding_mask(lengths, int(lengths.max())),
)

EXERCISE.misconception(
    "padded-on-the-left",
    "The words stand at the end",
    "Your True values stand at the end of each row, as if the padding came first. Here sentences "
    "begin at place 0.",
    lambda lengths, max_len: ref.padding_mask(lengths, max_len).flip(1),
)

EXERCISE.misconception(
    "transposed",
    "Rows and columns swapped",
    "Your mask is (max_len, B). One row belongs to one sentence.",
    lambda lengths, max_len: ref.padding_mask(lengths, max_len).T,
)

EXERCISE.misconception(
    "one-length-for-all",
    "One length for the whole batch",
    "All your rows are alike. Each sentence has its own length.",
    lambda lengths, max_len: ref.padding_mask(lengths.max().expand(len(lengths)), max_len),
    lambda lengths, max_len: ref.padding_mask(lengths[:1].expand(len(lengths)), max_len),
)

EXERCISE.misconception(
    "extra-axis",
    "An axis too many",
    "Your mask has a third axis. It will need one when it meets scores of shape (B, T, S); here "
    "the plain (B, max_len) is asked for.",
    lambda lengths, max_len: ref.padding_mask(lengths, max_len)[:, None, :],
)
