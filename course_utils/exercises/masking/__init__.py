"""Unit 03: its exercises in the order of the assignment."""

from course_utils.exercises.masking import (
    causal_mask,
    masked_attention,
    masked_softmax,
    padding_mask,
    sees_the_future,
    slide_only_before,
    slide_two_booleans,
    slide_zero_score,
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
        slide_zero_score.EXERCISE,
        slide_only_before.EXERCISE,
        slide_two_booleans.EXERCISE,
    ),
)
