"""Check a worked table."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_distance",
    points=2,
    section="From distance to similarity",
    right="d",
    options={
        "a": Option(
            "The query: these three distances do not belong to x = 4.",
            "|4 - 1| = 3, |4 - 5| = 1, |4 - 6| = 2: the distances are right, and so are their "
            "squares. Take the exponentials of the third column.",
            "blames-the-query",
        ),
        "b": Option(
            "Nothing: they sum to one, and the nearest has most.",
            "Both are true, and true of many other weights as well. Compute one ratio: exp(-1) "
            "against exp(-4) is 20 to 1, and not .67 to .24.",
            "trusts-the-sum",
        ),
        "c": Option(
            "The weights: a score of −9 must get a ninth of −1's.",
            "Softmax does not divide in proportion to the scores: what counts is their "
            "difference. The two exponentials differ by a factor of e to the 8, about 3000.",
            "in-proportion-to-scores",
        ),
        "d": Option(
            "The weights: they belong to the scores −3, −1 and −2.",
            "Right. The softmax was taken of minus the distance. Of -9, -1 and -4 it is .00, .95 "
            "and .05: squares make the near point win by much more.",
        ),
    },
)
