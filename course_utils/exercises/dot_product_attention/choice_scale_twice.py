"""Spot the bug: the scale."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_scale_twice",
    points=2,
    section="Why divide by √d",
    right="a",
    options={
        "a": Option(
            "Nearly equal: the scores have a spread of 1/16, so it is almost a plain mean.",
            "Right. The dot products have a standard deviation of 16; divided by 256 it is 1/16. "
            "Nothing fails and rows sum to one, but nobody is looked at in particular.",
        ),
        "b": Option(
            "As they should: the two roots are the one division of the formula, shared out.",
            "The formula divides the product by the root of d once. Here each factor is divided "
            "by it, so the product is divided by d.",
            "two-roots-are-one",
        ),
        "c": Option(
            "Very peaked: the scores have a spread of 16, so that one key takes all there is.",
            "16 is the spread of the plain dot products. Both factors are divided before they are "
            "multiplied: by how much does that divide the product?",
            "scale-has-no-effect",
        ),
        "d": Option(
            "Too small: each row sums to 1/16, because the factors come out of the softmax.",
            "Nothing comes out of a softmax: it makes rows that sum to one of any scores. What "
            "the scale changes is how sharp they are.",
            "softmax-taken-for-linear",
        ),
    },
)
