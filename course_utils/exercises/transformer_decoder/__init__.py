"""Unit 08: its exercises in the order of the assignment."""

from course_utils.exercises.transformer_decoder import (
    CachedAttention,
    DecoderBlock,
    beam_search,
    choice_cross,
    choice_sequential,
    choice_tables,
    choice_your_turn,
    greedy_decode,
    sampling_weights,
    smoothed_loss,
    warmup_rate,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "08_transformer_decoder",
    "The Transformer decoder: translation and generation",
    (
        DecoderBlock.EXERCISE,
        choice_your_turn.EXERCISE,
        choice_cross.EXERCISE,
        choice_sequential.EXERCISE,
        smoothed_loss.EXERCISE,
        warmup_rate.EXERCISE,
        greedy_decode.EXERCISE,
        beam_search.EXERCISE,
        sampling_weights.EXERCISE,
        CachedAttention.EXERCISE,
        choice_tables.EXERCISE,
    ),
)
