"""Unit 07: its exercises in the order of the assignment."""

from course_utils.exercises.transformer_encoder import (
    Encoder,
    EncoderBlock,
    FeedForward,
    choice_feed_forward,
    choice_layer_norm,
    choice_linear,
    choice_stocks,
    layer_norm,
    masked_mean,
    train_classifier,
)
from course_utils.judging.exercise import Unit

UNIT = Unit(
    "07_transformer_encoder",
    "The Transformer encoder",
    (
        layer_norm.EXERCISE,
        FeedForward.EXERCISE,
        EncoderBlock.EXERCISE,
        Encoder.EXERCISE,
        masked_mean.EXERCISE,
        train_classifier.EXERCISE,
        choice_feed_forward.EXERCISE,
        choice_layer_norm.EXERCISE,
        choice_linear.EXERCISE,
        choice_stocks.EXERCISE,
    ),
)
