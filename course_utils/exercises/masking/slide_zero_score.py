"""Spot the bug: similarity zero."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="slide_zero_score",
    points=2,
    section="Minus infinity, not zero",
    right="b",
    options={
        "a": Option(
            "None: a similarity of 0 is a weight of 0, so nobody looks at them.",
            "The weights come out of a softmax, and exp(0) is 1. Zero is a score like any other.",
            "score-taken-for-weight",
        ),
        "b": Option(
            "About .97: in this row 0 is the highest score, and it wins.",
            "Right. exp(0) = 1 for each of them, against .05 and .02: the future gets nearly "
            "everything. Only exp(-∞) is 0.",
        ),
        "c": Option(
            "Half: two words of four are forbidden, and 0 treats all alike.",
            "All four would have to have the same score for that. exp(0) is 1, exp(-3) is .05: "
            "who is ahead?",
            "all-alike",
        ),
        "d": Option(
            "About .03: 0 is small beside the scores of allowed words.",
            "It would be, beside 3 and 4. Beside -3 and -4 it is large: softmax looks at "
            "differences, and knows no zero.",
            "zero-taken-for-small",
        ),
    },
)
