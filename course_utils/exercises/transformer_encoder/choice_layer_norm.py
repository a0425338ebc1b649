"""Predict: who feels it?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_layer_norm",
    points=2,
    section="Layer norm",
    right="b",
    options={
        "a": Option(
            "All T · D numbers of both sentences: in each of them the mean has moved.",
            "That would be one mean for a whole sentence. Then a token would change whenever a "
            "word is added at the other end of the sentence.",
            "per-sequence",
        ),
        "b": Option(
            "Nothing in the first sentence, and all T · D numbers of the second one.",
            "Right. Every token has a mean and a spread of its own. Where all its features rise by "
            "5, so does its mean, and the difference stays. Where one of them does, the mean rises "
            "by 5 / D and the spread changes, and so do all D features.",
        ),
        "c": Option(
            "All B · T · D numbers of the batch: each feature's mean has moved in it.",
            "That is batch norm. A token's result would depend on who else is in the batch.",
            "per-feature",
        ),
        "d": Option(
            "The D numbers of that one token, and the T numbers of that one feature.",
            "Those are the numbers that you touched. What is normalised is a group: which numbers "
            "are in it, and what happens to a group when all of it rises by the same?",
            "entry-by-entry",
        ),
    },
)
