"""Unit 10: its exercises in the order of the assignment."""

from course_utils.exercises.image_captioning import (
    CaptionStep,
    choice_gates,
    choice_self,
    choice_soft_hard,
    coverage_penalty,
    hard_attention,
    image_regions,
    look_effects,
    reinforce_loss,
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
        look_effects.EXERCISE,
        coverage_penalty.EXERCISE,
        hard_attention.EXERCISE,
        reinforce_loss.EXERCISE,
        choice_self.EXERCISE,
        choice_soft_hard.EXERCISE,
        choice_gates.EXERCISE,
    ),
)
