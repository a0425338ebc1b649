"""Unit 09: its exercises in the order of the assignment."""

from course_utils.exercises.vision_transformer import (
    PatchEmbedding,
    VisionTransformer,
    attention_rollout,
    choice_better,
    choice_cost,
    choice_order,
    occlusion_map,
    patchify,
    resize_positions,
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
        occlusion_map.EXERCISE,
        choice_better.EXERCISE,
        choice_cost.EXERCISE,
        choice_order.EXERCISE,
    ),
)
