"""Spot the bug: moving the tanh."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_move_tanh",
    points=2,
    section="Dropping the tanh",
    right="a",
    options={
        "a": Option(
            "Rows may differ in sharpness, but every query has the same favourite: the largest b.",
            "Right. A tanh keeps the order, so all queries rank the keys alike. Query and key "
            "have to meet in a way that lets one change the order of the other, inside several "
            "tanhs or in a product.",
        ),
        "b": Option(
            "All queries get equal rows, just as without the tanh: the part of the query cancels.",
            "Softmax forgets what is added to all scores of a row. Inside the tanh a(q) is added "
            "to numbers that are then squeezed, and the squeezing depends on it.",
            "cancels-inside-too",
        ),
        "c": Option(
            "All weights become equal, since scores that lie between −1 and 1 cannot differ much.",
            "They can differ by 2, and so the weights by a factor of e², more than seven. The "
            "scores of additive attention are bounded as well.",
            "bounded-means-equal",
        ),
        "d": Option(
            "Nothing is lost: there still is a tanh, so each query finds the keys that suit it.",
            "Only two numbers meet in this tanh, a sum of them at that. Which key gets the "
            "largest score for one query, and which for another?",
            "any-tanh-will-do",
        ),
    },
)
