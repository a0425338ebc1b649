"""Predict: attention in windows."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_cost",
    points=2,
    section="What a patch costs",
    right="c",
    options={
        "a": Option(
            "Twice and twice: the side doubles, so there are twice as many windows.",
            "The side doubles in both directions: how many windows lie in a row now, and how many "
            "rows are there?",
            "one-direction",
        ),
        "b": Option(
            "16 times and 16 times: all of it grows with the square of the tokens.",
            "A feed-forward layer works on each token by itself: what does one token more cost "
            "there? And with whom is a token compared?",
            "all-is-quadratic",
        ),
        "c": Option(
            "4 times and 4 times: four times the windows, each as large as before.",
            "Right. A matrix of 49 x 49 per window, and four times the windows: with windows of a "
            "fixed size the matrices grow with n, not with its square.",
        ),
        "d": Option(
            "16 times and 4 times: the matrices grow with the square of the tokens.",
            "They would, if every token looked at every other one. How large is the matrix of one "
            "window, before and after?",
            "windows-forgotten",
        ),
    },
)
