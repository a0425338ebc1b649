"""Spot the mistake: the feed-forward layer."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_feed_forward",
    points=2,
    section="The feed-forward layer",
    right="b",
    options={
        "a": Option(
            "Nothing: there is a ReLU, and where in the layer it stands makes no difference.",
            "Multiply out what stands before the ReLU. And look at the sign of what is added to x.",
            "place-does-not-matter",
        ),
        "b": Option(
            "It can only add: no feature of x is ever lowered, and 2048 is no better than 512.",
            "Right. Before the ReLU stand two linear layers in a row, which are one of 512 by "
            "512; after it nothing is negative, so the stream can only grow.",
        ),
        "c": Option(
            "It is linear: a ReLU that comes last has nothing after it that could use the bend.",
            "It does bend: what is negative becomes 0. That bend is even the problem, since its "
            "result goes straight into the sum.",
            "no-bend-at-the-end",
        ),
        "d": Option(
            "It keeps tokens apart: a ReLU at the end lets no word see what the others hold.",
            "Tokens never meet in a feed-forward layer, wherever its ReLU stands. They meet in "
            "the attention.",
            "tokens-should-meet",
        ),
    },
)
