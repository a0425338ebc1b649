"""Unit 08: its exercises in the order of the assignment."""

from course_utils.exercises.transformer_decoder import (
    CachedAttention,
    DecoderBlock,
    beam_search,
    greedy_decode,
    sampling_weights,
    slide_cross,
    slide_sequential,
    slide_tables,
    slide_your_turn,
    smoothed_loss,
    warmup_rate,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "08_transformer_decoder",
    "The Transformer decoder: translation and generation",
    (
        DecoderBlock.EXERCISE,
        slide_your_turn.EXERCISE,
        slide_cross.EXERCISE,
        slide_sequential.EXERCISE,
        smoothed_loss.EXERCISE,
        warmup_rate.EXERCISE,
        greedy_decode.EXERCISE,
        beam_search.EXERCISE,
        sampling_weights.EXERCISE,
        CachedAttention.EXERCISE,
        slide_tables.EXERCISE,
    ),
)
