"""Unit 02: its exercises in the order of the assignment."""

from course_utils.exercises.dot_product_attention import (
    additive_scores,
    context_vectors,
    cosine_scores,
    general_scores,
    one_hot_lookup,
    scaled_dot_product_attention,
    self_attention,
    slide_drop_tanh,
    slide_local_hard,
    slide_scale_outside,
    table_third_row,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "02_dot_product_attention",
    "Dot-product attention",
    (
        one_hot_lookup.EXERCISE,
        context_vectors.EXERCISE,
        table_third_row.EXERCISE,
        scaled_dot_product_attention.EXERCISE,
        self_attention.EXERCISE,
        cosine_scores.EXERCISE,
        additive_scores.EXERCISE,
        general_scores.EXERCISE,
        slide_scale_outside.EXERCISE,
        slide_drop_tanh.EXERCISE,
        slide_local_hard.EXERCISE,
    ),
)
