"""Predict: the same logits."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_order",
    points=2,
    section="Do positions matter?",
    right="d",
    options={
        "a": Option(
            "The image in a mirror: all the same pixels, read from the other side.",
            "Each patch stays in its row, and where in the row does not matter; but each patch is "
            "mirrored itself as well, and a mirrored patch is another token.",
            "mirror",
        ),
        "b": Option(
            "The image with its upper and lower half exchanged with each other.",
            "Then every patch is in another row, and gets another vector than before: its token "
            "is a new one.",
            "rows-exchanged",
        ),
        "c": Option(
            "The image moved by one pixel to the right, as good as no change at all.",
            "Every patch is cut at another place now, so all tokens differ. It is a small change, "
            "and the logits change a little.",
            "small-shift",
        ),
        "d": Option(
            "The image with its left and its right half exchanged with each other.",
            "Right. Each patch stays in its row and keeps its vector. The same 64 tokens in "
            "another order come out permuted, and what CLS gathers from them is the same.",
        ),
    },
)
