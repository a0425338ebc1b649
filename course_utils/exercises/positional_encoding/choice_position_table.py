"""Spot the mistake: where is the place?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_position_table",
    points=2,
    section="Learned positions",
    right="a",
    options={
        "a": Option(
            "One and the same to all words of a text: the number of the text in its batch.",
            "Right. The places are those of the texts, 0 to B - 1. Word order stays invisible, "
            "and a text gets another answer in another row of the batch.",
        ),
        "b": Option(
            "The vector of its place, but only as long as B and T happen to be the same.",
            "(B, T, 100) and (B, 1, 100) add for any B and T, since the axis of length 1 is "
            "stretched. But what has `arange` counted, even where B and T are the same?",
            "needs-a-square-batch",
        ),
        "c": Option(
            "The vector of place 0: the new axis of length 1 has one place for all words.",
            "It has one vector per text, and that one is not always number 0. What did `arange` "
            "count?",
            "always-the-first-row",
        ),
        "d": Option(
            "The vector of its place: `arange` counts the words, and `None` makes the batch.",
            "`len(x)` is the length of the *first* axis. Which one is that?",
            "length-of-the-wrong-axis",
        ),
    },
)
