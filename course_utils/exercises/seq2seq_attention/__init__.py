"""Unit 04: its exercises in the order of the assignment."""

from course_utils.exercises.seq2seq_attention import (
    bahdanau_context,
    exact_match,
    generate,
    luong_context,
    sequence_loss,
    shift_right,
    slide_alignment,
    slide_two_bugs,
    slide_who_asks,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "04_seq2seq_attention",
    "Sequence to sequence with attention",
    (
        shift_right.EXERCISE,
        sequence_loss.EXERCISE,
        exact_match.EXERCISE,
        luong_context.EXERCISE,
        bahdanau_context.EXERCISE,
        generate.EXERCISE,
        slide_alignment.EXERCISE,
        slide_who_asks.EXERCISE,
        slide_two_bugs.EXERCISE,
    ),
)
