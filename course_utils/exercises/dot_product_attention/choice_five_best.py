"""Predict: the five best."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_five_best",
    points=2,
    section="Two axes: global or local, soft or hard",
    right="c",
    options={
        "a": Option(
            "No: `topk` returns constants, so the gradient stops at the values and goes no "
            "further.",
            "The five numbers are scores and stay connected to what made them; only their places "
            "are constants. Try `backward` with five keys.",
            "kept-scores-taken-for-constants",
        ),
        "b": Option(
            "No: it looks at a part of the input only, so it is hard attention and needs draws.",
            "How much is in reach and whether one averages or picks are two questions. Here five "
            "values are averaged, with weights that change smoothly.",
            "part-taken-for-hard",
        ),
        "c": Option(
            "Yes, through the five weights; only which five are kept has no gradient of its own.",
            "Right. Among the five it is soft, and a soft mean has gradients. The other 45 scores "
            "get none, like all those outside of a window.",
        ),
        "d": Option(
            "Yes, and all fifty scores get a gradient, since all of them were compared with it.",
            "Change a score that was not kept by a little: the output does not move. Its gradient "
            "is 0.",
            "compared-means-gradient",
        ),
    },
)
