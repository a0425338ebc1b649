"""Predict: who feels it?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="slide_layer_norm",
    points=2,
    section="Layer norm",
    right="b",
    options={
        "a": Option(
            "All T · D numbers of the first sentence: they share one mean and one spread.",
            "That is what the words of the explanation say, and the trap in them. Then a token "
            "would change whenever a word is added at the other end of the sentence.",
            "per-sequence",
        ),
        "b": Option(
            "The D numbers of that token, and nothing else: it has a mean of its own.",
            "Right. Its mean rises by 5 / D, its spread changes, and so do all its features. No "
            "other token notices: that is why batch, length and padding do not matter.",
        ),
        "c": Option(
            "Feature 0 of all tokens in all the sentences, B · T numbers: they share it.",
            "That is batch norm. A token's result would depend on who else is in the batch.",
            "per-feature",
        ),
        "d": Option(
            "That one number, and nothing else: each feature is normalised by its own.",
            "A single number has no spread to be divided by. What is normalised is a group: which "
            "numbers are in it?",
            "entry-by-entry",
        ),
    },
)
