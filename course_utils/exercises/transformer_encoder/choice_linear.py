"""Predict: a linear attention."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_linear",
    points=2,
    section="Is self-attention linear?",
    right="c",
    options={
        "a": Option(
            "Leave out the softmax, and weigh the values by the plain scores, q times k.",
            "q, k and v all contain h. Double h, and the output is eight times as large: cubic.",
            "blames-the-softmax-alone",
        ),
        "b": Option(
            "Leave out the scale 1/√d, because a square root is not a linear function.",
            "The scale is a fixed number, the same for all inputs. Multiplying by a number is as "
            "linear as it gets.",
            "blames-the-scale",
        ),
        "c": Option(
            "Make queries and keys of the positions alone, and only the values out of h.",
            "Right. Then the weights are the same for every h, and a fixed weighted sum is "
            "linear. It is also no longer attention to content: a word looks at places, whatever "
            "stands there.",
        ),
        "d": Option(
            "Leave out the projections: with q = k = v = h there is nothing but sums left.",
            "The weights are then the softmax of h times h: they still depend on h, and so f(2h) "
            "is not 2 f(h).",
            "blames-the-projections",
        ),
    },
)
