"""Unit 09: its exercises in the order of the assignment."""

from course_utils.exercises.vision_transformer import (
    PatchEmbedding,
    VisionTransformer,
    attention_rollout,
    patchify,
    resize_positions,
    slide_better,
    slide_cost,
    slide_order,
    unpatchify,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "09_vision_transformer",
    "An image is a sentence: the Vision Transformer",
    (
        patchify.EXERCISE,
        unpatchify.EXERCISE,
        PatchEmbedding.EXERCISE,
        VisionTransformer.EXERCISE,
        resize_positions.EXERCISE,
        attention_rollout.EXERCISE,
        slide_better.EXERCISE,
        slide_cost.EXERCISE,
        slide_order.EXERCISE,
    ),
)
