"""Spot the bug: a mask for the wrong door."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_two_booleans",
    points=2,
    section="Two libraries in one: what True means",
    right="d",
    options={
        "a": Option(
            "Both sentences are right: a padding mask marks the real words, in every library.",
            "For `masked_attention` it does. `nn.MultiheadAttention` reads a boolean mask the "
            "other way round: here True means that a key is hidden.",
            "trusts-one-convention",
        ),
        "b": Option(
            "It raises an error: this module takes only masks that are made of 0 and minus ∞.",
            "It takes both, boolean and float. No error is the worst part: it runs.",
            "expects-an-error",
        ),
        "c": Option(
            "The mask has no effect at all: padding is hidden only along with an `attn_mask`.",
            "Each of the two masks works without the other. This one has a very visible effect; "
            "work it out for a sentence without any padding.",
            "needs-the-other-mask",
        ),
        "d": Option(
            "The first sentence becomes NaN, and in the second all words look at the padding.",
            "Right. True hides a key here. In the first sentence that is every key, an empty row; "
            "in the second it is the words, and the padding is left. The module needs `~real`.",
        ),
    },
)
