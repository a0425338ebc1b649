"""Spot the bug: similarity zero."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_zero_score",
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
            "About .21: a score of 0 is an ordinary one, and it gets its share.",
            "Right. exp(0) = 1 for each of them, against 7.39 and .14: 2 of 9.52 parts go to the "
            "future. Only exp(-∞) is 0.",
        ),
        "c": Option(
            "Half: 2 and −2 cancel, so that on average all four words are alike.",
            "Scores do not cancel in a softmax, since each goes through exp first: exp(2) is 7.39, "
            "exp(-2) is .14. Add these up, not the scores.",
            "all-alike",
        ),
        "d": Option(
            "About .02: 0 is so small beside 2 that it is as good as hidden.",
            "Softmax looks at differences, and knows no zero: 2 is ahead of 0 by a factor of "
            "exp(2) = 7.39 only, and two words have a score of 0.",
            "zero-taken-for-small",
        ),
    },
)
