"""Unit 01: its exercises in the order of the assignment."""

from course_utils.exercises.nadaraya_watson import (
    choice_code,
    choice_distance,
    choice_units,
    gaussian_weights,
    leave_one_out_error,
    nadaraya_watson,
    softmax,
    standardise,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "01_nadaraya_watson",
    "Prediction by similarity: Nadaraya-Watson",
    (
        softmax.EXERCISE,
        gaussian_weights.EXERCISE,
        nadaraya_watson.EXERCISE,
        leave_one_out_error.EXERCISE,
        standardise.EXERCISE,
        choice_units.EXERCISE,
        choice_distance.EXERCISE,
        choice_code.EXERCISE,
    ),
)
