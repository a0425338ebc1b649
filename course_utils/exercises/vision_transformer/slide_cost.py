"""Spot the mistake: what does it cost?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="slide_cost",
    points=2,
    section="What a patch costs",
    right="c",
    options={
        "a": Option(
            "Twice and twice: the image has twice as many pixels, and so it goes.",
            "Twice the tokens, yes. But an attention matrix has a row *and* a column for each of "
            "them.",
            "pixels-count",
        ),
        "b": Option(
            "4 times and 4 times: in a Transformer all grows with the square of n.",
            "The matrices do. A feed-forward layer works on each token by itself: what does one "
            "token more cost there?",
            "all-is-quadratic",
        ),
        "c": Option(
            "4 times and twice: twice the tokens, squared only in the matrices.",
            "Right. Memory of the weights O(n²), time of the layers O(n D²): whoever says only "
            "O(n²) leaves out of what.",
        ),
        "d": Option(
            "16 times and 4 times: as if the patches had half the side as before.",
            "Half the side means four times the tokens, in both directions. Here the image grows "
            "in one direction only.",
            "both-directions",
        ),
    },
)
