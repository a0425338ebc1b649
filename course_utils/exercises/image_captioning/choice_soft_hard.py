"""Spot the mistake: the best region."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_soft_hard",
    points=2,
    section="Hard attention",
    right="a",
    options={
        "a": Option(
            "The eye, from what was chosen; v, W_r and W_s, which choose, learn nothing.",
            "Right. Nothing steers the choice; it only drifts as the eye changes. Soft weights "
            "have a gradient; a draw needs its log probability.",
        ),
        "b": Option(
            "Nothing: after an argmax there is no gradient left for any part of the model.",
            "The region itself is used as it is, so the loss reaches it, and the eye that made "
            "it. What is cut off is only the *choice*.",
            "argmax-stops-everything",
        ),
        "c": Option(
            "The scores, but slowly: at each step only the chosen one of them is improved.",
            "The chosen weight does not enter the context at all, only its place does. Not one "
            "score gets a gradient.",
            "chosen-score-learns",
        ),
        "d": Option(
            "Everything: the best region was found by the scores, so they learn from it.",
            "The number of a region has no derivative: move a score a little, and the same region "
            "is taken. No gradient gets past the argmax.",
            "argmax-has-a-gradient",
        ),
    },
)
