"""Predict: the same logits."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="slide_order",
    points=2,
    section="Do positions matter?",
    right="d",
    options={
        "a": Option(
            "The image in a mirror: all the same pixels, read from the other side.",
            "The order of the patches is reversed, which does not matter; but each patch is "
            "mirrored as well, and a mirrored patch is another token.",
            "mirror",
        ),
        "b": Option(
            "The image turned by a right angle: the same patches in other places.",
            "They are in other places *and* turned themselves. Inside a patch the order of the "
            "pixels counts: each has its own weights.",
            "turned",
        ),
        "c": Option(
            "The image moved by one pixel to the right, as good as no change at all.",
            "Every patch is cut at another place now, so all tokens differ. It is a small change, "
            "and the logits change a little.",
            "small-shift",
        ),
        "d": Option(
            "The image with its left and its right half exchanged with each other.",
            "Right. The same 64 patches, in another order: tokens come out permuted "
            "(equivariant), and what CLS gathers from all of them is the same (invariant).",
        ),
    },
)
