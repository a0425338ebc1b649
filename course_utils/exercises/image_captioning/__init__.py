"""Unit 10: its exercises in the order of the assignment."""

from course_utils.exercises.image_captioning import (
    CaptionStep,
    coverage_penalty,
    hard_attention,
    image_regions,
    slide_gates,
    slide_self,
    slide_soft_hard,
    soft_attention,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "10_image_captioning",
    "Say what you see: image captioning",
    (
        image_regions.EXERCISE,
        soft_attention.EXERCISE,
        CaptionStep.EXERCISE,
        coverage_penalty.EXERCISE,
        hard_attention.EXERCISE,
        slide_self.EXERCISE,
        slide_soft_hard.EXERCISE,
        slide_gates.EXERCISE,
    ),
)
