"""Predict: another unit."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_units",
    points=2,
    section="Units decide who is a neighbour",
    right="d",
    options={
        "a": Option(
            "About 2.2 times, as before: the towns are as near as they were.",
            "Who is nearest does not depend on the unit, but by how much does: the formula has no "
            "bandwidth that would shrink along. Compute the two scores in the new unit.",
            "unit-does-not-matter",
        ),
        "b": Option(
            "About 4.5 times: all distances double, and so does the ratio.",
            "The distances do double. But they are squared, and an exponential is taken: the "
            "ratio of two weights is exp of the difference of their scores.",
            "ratio-follows-distance",
        ),
        "c": Option(
            "About 5 times: all distances double, so the ratio is squared.",
            "That would hold if the scores were minus the distance. They are minus its square: "
            "by which factor does the difference of two scores grow?",
            "forgets-the-square",
        ),
        "d": Option(
            "About 25 times: the scores now differ by 3.2 instead of 0.8.",
            "Right. Distances double, their squares become four times as large, and so does the "
            "difference of the scores: the ratio is taken to the fourth power. In people the "
            "scores differ by 20 million, and the nearest town takes all.",
        ),
    },
)
