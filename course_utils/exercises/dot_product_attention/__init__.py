"""Unit 02: its exercises in the order of the assignment."""

from course_utils.exercises.dot_product_attention import (
    additive_scores,
    choice_five_best,
    choice_move_tanh,
    choice_scale_twice,
    context_vectors,
    cosine_scores,
    general_scores,
    one_hot_lookup,
    scaled_dot_product_attention,
    self_attention,
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
        choice_scale_twice.EXERCISE,
        choice_move_tanh.EXERCISE,
        choice_five_best.EXERCISE,
    ),
)
