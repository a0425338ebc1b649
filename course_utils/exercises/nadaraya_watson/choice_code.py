"""Spot the bug: the same in code."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_code",
    points=2,
    section="Softmax: weights that sum to one",
    right="b",
    options={
        "a": Option(
            "About 13: the nearest town gets most of the weight, and the next one some.",
            "That would be softmax along the keys, `dim=-1`. Which axis of the (1, 3) scores is "
            "`dim=0`, and how many numbers compete along it?",
            "axis-overlooked",
        ),
        "b": Option(
            "60: with a single query every weight is 1, so that all the profits add up.",
            "Right. `dim=0` is the axis of the queries. With one query each column holds one "
            "number, whose softmax is 1, whatever the score. Rows do not sum to one, and that is "
            "the test.",
        ),
        "c": Option(
            "20: each of the three towns gets a third, so it is the mean of the profits.",
            "A softmax over three equal scores would give thirds. Here three softmaxes are taken, "
            "each over a single number.",
            "thirds",
        ),
        "d": Option(
            "None: a softmax along an axis of length 1 divides by zero, and so it fails.",
            "It divides the exponential by itself. No error is the worst part: with one new town "
            "it runs, and it runs with a hundred.",
            "expects-an-error",
        ),
    },
)
