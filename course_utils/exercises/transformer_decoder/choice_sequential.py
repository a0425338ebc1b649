"""Predict: one wrong word in training."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_sequential",
    points=2,
    section="Teacher forcing: all positions at once",
    right="a",
    options={
        "a": Option(
            "6: those for y₆ to y₁₁, as the shifted input has y₅ only from there on.",
            "Right. Shifted, y₅ stands at the place that predicts y₆; that one and the later ones "
            "may see it. The prediction of y₅ itself does not know its answer.",
        ),
        "b": Option(
            "12: all of them are computed in one pass, so that each depends on each.",
            "One pass, but under a mask: no prediction may read what comes later. That is what "
            "makes the pass equal to twelve separate ones.",
            "one-pass-mixes-all",
        ),
        "c": Option(
            "7: those for y₅ to y₁₁, the place itself and everything that comes after.",
            "Without the shift it would be so, and the prediction of y₅ could read its own answer.",
            "forgets-the-shift",
        ),
        "d": Option(
            "1: that for y₆ alone, for a prediction reads the word right before it.",
            "It reads all words before it: the mask hides the future, not the past.",
            "reads-one-word",
        ),
    },
)
