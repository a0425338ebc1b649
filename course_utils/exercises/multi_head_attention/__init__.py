"""Unit 05: its exercises in the order of the assignment."""

from course_utils.exercises.multi_head_attention import (
    MultiHeadAttention,
    from_torch,
    grouped_query_attention,
    merge_heads,
    slide_index,
    slide_pieces,
    slide_speed,
    split_heads,
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
        grouped_query_attention.EXERCISE,
        slide_pieces.EXERCISE,
        slide_index.EXERCISE,
        slide_speed.EXERCISE,
    ),
)
