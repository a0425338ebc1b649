"""Predict: only before."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_only_before",
    points=2,
    section="The causal mask",
    right="a",
    options={
        "a": Option(
            "Words 1 to 3: the newest word stands at the place itself, and is hidden too.",
            "Right. The diagonal is an input that is known. Without it what is mixed is always "
            "one word late, and the first place gets nothing at all, not even `<go>`. Word 4 "
            "still asks, so it steers the weights, but its own value is never passed on.",
        ),
        "b": Option(
            "Words 1 to 4: the inputs are shifted, so a strict mask is just what is needed.",
            "The shift has put word 4 where word 5 is asked for: it *is* the token at that place. "
            "May that place look at itself, under this mask?",
            "shift-and-strict",
        ),
        "c": Option(
            "Words 1 to 5: one slip of the diagonal shows it the very word it has to say.",
            "That is the slip to the other side, one diagonal too high. A strict mask shows less "
            "than the causal one, not more.",
            "strict-taken-for-leaking",
        ),
        "d": Option(
            "No word at all: the first row is empty, and its NaN spreads over all the rest.",
            "By this course's rule an empty row is all zeros, so there is no NaN. Look at the row "
            "of the place that has to predict word 5.",
            "nan-in-spite-of-the-rule",
        ),
    },
)
