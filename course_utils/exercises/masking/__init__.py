"""Unit 03: its exercises in the order of the assignment."""

from course_utils.exercises.masking import (
    causal_mask,
    choice_only_before,
    choice_two_booleans,
    choice_zero_score,
    masked_attention,
    masked_softmax,
    padding_mask,
    sees_the_future,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "03_masking",
    "Masking: who may look at whom",
    (
        padding_mask.EXERCISE,
        causal_mask.EXERCISE,
        masked_softmax.EXERCISE,
        masked_attention.EXERCISE,
        sees_the_future.EXERCISE,
        choice_zero_score.EXERCISE,
        choice_only_before.EXERCISE,
        choice_two_booleans.EXERCISE,
    ),
)
