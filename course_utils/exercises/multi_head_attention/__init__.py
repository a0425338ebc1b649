"""Unit 05: its exercises in the order of the assignment."""

from course_utils.exercises.multi_head_attention import (
    MultiHeadAttention,
    choice_index,
    choice_pieces,
    choice_speed,
    from_torch,
    grouped_query_attention,
    merge_heads,
    split_heads,
    without_head,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "05_multi_head_attention",
    "Multi-head attention",
    (
        split_heads.EXERCISE,
        merge_heads.EXERCISE,
        MultiHeadAttention.EXERCISE,
        from_torch.EXERCISE,
        without_head.EXERCISE,
        grouped_query_attention.EXERCISE,
        choice_pieces.EXERCISE,
        choice_index.EXERCISE,
        choice_speed.EXERCISE,
    ),
)
