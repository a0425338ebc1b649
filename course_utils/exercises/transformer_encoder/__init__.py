"""Unit 07: its exercises in the order of the assignment."""

from course_utils.exercises.transformer_encoder import (
    Encoder,
    EncoderBlock,
    FeedForward,
    layer_norm,
    masked_mean,
    slide_feed_forward,
    slide_layer_norm,
    slide_linear,
    slide_stocks,
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
        slide_feed_forward.EXERCISE,
        slide_layer_norm.EXERCISE,
        slide_linear.EXERCISE,
        slide_stocks.EXERCISE,
    ),
)
