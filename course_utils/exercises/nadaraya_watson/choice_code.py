"""Spot the bug: the same in code."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_code",
    points=2,
    section="Softmax: weights that sum to one",
    right="b",
    options={
        "a": Option(
            "60 and 60: rows do not touch each other, so asking twice changes nothing.",
            "So it should be: what is predicted for one town must not depend on who else is "
            "asked for. Along `dim=0`, how many numbers compete now, and whose are they?",
            "rows-taken-for-separate",
        ),
        "b": Option(
            "30 and 30: the two equal queries share every town, half of it for each.",
            "Right. `dim=0` is the axis of the queries. One query alone gets a weight of 1 from "
            "every town, which makes 60; two equal ones get ½ each. Rows do not sum to one, and "
            "a prediction depends on who else asks: two tests that find this bug.",
        ),
        "c": Option(
            "20 and 20: all three weights of a row are equal now, so each is a third.",
            "The weights of a row are equal, but they are not shares of one row: each comes from "
            "a softmax over its own column, which holds two equal scores.",
            "thirds",
        ),
        "d": Option(
            "13 and 13: with one query the axis had length 1, with two it is harmless.",
            "With two queries the softmax still runs over the queries, and not over the towns. It "
            "only looks less wrong. What do two equal scores in a column give?",
            "blames-the-single-query",
        ),
    },
)
