"""Predict: another unit."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_units",
    points=2,
    section="Units decide who is a neighbour",
    right="d",
    options={
        "a": Option(
            "About .4, .4 and .2: two towns are near, the third one is further away.",
            "Compute it: the scores are -0.64, -1.44 and -17.64. The third exponential is more "
            "than ten million times smaller than the first: that is not .2 of anything.",
            "trusts-the-guess",
        ),
        "b": Option(
            "1, 0 and 0: the same towns are near in every unit, the nearest one wins.",
            "Who is nearest does not depend on the unit, but by how much does: here the first two "
            "scores differ by 0.8, in people they differ by 20 million.",
            "unit-does-not-matter",
        ),
        "c": Option(
            "About .54, .36 and .10: in proportion to one over the distance of a town.",
            "That would be weights by inverse distance. The formula squares the distance and takes "
            "an exponential: the far town loses much more.",
            "inverse-distance",
        ),
        "d": Option(
            "About .69, .31 and 0: the scores of the first two towns differ by 0.8.",
            "Right. Only the distance in units of the bandwidth counts, and the unit decides what "
            "a distance of 1 is: in people the same formula gives 1, 0 and 0.",
        ),
    },
)
