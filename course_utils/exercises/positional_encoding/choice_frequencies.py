"""Spot the mistake: the frequencies."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_frequencies",
    points=2,
    section="Sines and cosines",
    right="c",
    options={
        "a": Option(
            "The fastest hand is missing: no pair has a frequency of 1 any more.",
            "i begins at 0, and 10000 to the power of 0 is 1. The first pair is right; look at "
            "the second.",
            "first-pair-blamed",
        ),
        "b": Option(
            "What is wanted: `i` goes in steps of two, as the 2i of the formula.",
            "Then the exponent should be `-i / D`. Put in the second value, i = 2: the formula "
            "says 10000 to the power of -2/8.",
            "the-two-is-needed",
        ),
        "c": Option(
            "The hands slow down too fast: the second one has ω = 0.01, not 0.1.",
            "Right. `i` counts columns here, and pairs in the formula, so its 2 is there twice: "
            "1, 0.01, 0.0001, 0.000001. The last two hands hardly move in a text of any usual "
            "length.",
        ),
        "d": Option(
            "Sine and cosine of a pair get different frequencies, and no circle.",
            "There is one omega per pair, for both. They stay the two coordinates of one hand.",
            "different-speeds",
        ),
    },
)
