"""Unit 06: its exercises in the order of the assignment."""

from course_utils.exercises.positional_encoding import (
    LearnedPositions,
    rotary,
    shift_matrix,
    sinusoidal_encoding,
    slide_frequencies,
    slide_insensitive,
    slide_position_table,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "06_positional_encoding",
    "Positions",
    (
        sinusoidal_encoding.EXERCISE,
        LearnedPositions.EXERCISE,
        shift_matrix.EXERCISE,
        rotary.EXERCISE,
        slide_frequencies.EXERCISE,
        slide_position_table.EXERCISE,
        slide_insensitive.EXERCISE,
    ),
)
