"""Unit 06: its exercises in the order of the assignment."""

from course_utils.exercises.positional_encoding import (
    LearnedPositions,
    choice_frequencies,
    choice_insensitive,
    choice_position_table,
    is_equivariant,
    rotary,
    shift_matrix,
    sinusoidal_encoding,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "06_positional_encoding",
    "Positions",
    (
        is_equivariant.EXERCISE,
        sinusoidal_encoding.EXERCISE,
        LearnedPositions.EXERCISE,
        shift_matrix.EXERCISE,
        rotary.EXERCISE,
        choice_frequencies.EXERCISE,
        choice_position_table.EXERCISE,
        choice_insensitive.EXERCISE,
    ),
)
