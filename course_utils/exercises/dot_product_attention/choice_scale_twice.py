"""Spot the bug: the scale."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_scale_twice",
    points=2,
    section="Why divide by √d",
    right="a",
    options={
        "a": Option(
            "Nearly equal, and so they stay: no score gets beyond 1/16, however well a key fits.",
            "Right. A cosine lies between -1 and 1, and divided by 16 all scores lie between "
            "-1/16 and 1/16: two weights differ by a factor of exp(1/8) at most, about 1.13. "
            "Whoever takes cosines has to multiply them by a sharpness, not to divide.",
        ),
        "b": Option(
            "As they should: length no longer counts, and the root keeps the scores' spread at 1.",
            "The root belongs to dot products of vectors with entries of variance 1, whose spread "
            "is 16. The dot product of two vectors of length 1 is a cosine. How large can that "
            "be?",
            "root-fits-any-score",
        ),
        "c": Option(
            "Nearly equal at first; as the vectors grow in training, weights can become peaked.",
            "Growing is what `F.normalize` undoes: query and key have length 1 at every step, "
            "whatever training does to the matrices before it.",
            "expects-length-to-help",
        ),
        "d": Option(
            "Too small: each row sums to 1/16, since the factor 1/16 comes out of the softmax.",
            "Nothing comes out of a softmax: it makes rows that sum to one of any scores. What "
            "the scale changes is how sharp they are.",
            "softmax-taken-for-linear",
        ),
    },
)
