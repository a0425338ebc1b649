"""Unit 04: its exercises in the order of the assignment."""

from course_utils.exercises.seq2seq_attention import (
    bahdanau_context,
    choice_alignment,
    choice_two_bugs,
    choice_who_asks,
    exact_match,
    generate,
    luong_context,
    sequence_loss,
    shift_right,
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
        choice_alignment.EXERCISE,
        choice_who_asks.EXERCISE,
        choice_two_bugs.EXERCISE,
    ),
)
