"""Spot the bug: a program that runs."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_two_bugs",
    points=2,
    section="A bug that another line hides",
    right="d",
    options={
        "a": Option(
            "`assert embedding.weight.numel() == 3000 * 60`",
            "60 times 3000 is 180,000 too: a product does not know the order of its factors, so "
            "the number of parameters cannot show whether the arguments are in the right order.",
            "trusts-the-count",
        ),
        "b": Option(
            "`assert len(x) == len(words) and x.shape[2] == 60`",
            "The line before it has just made these two sizes, whatever came out of the "
            "embedding. Which size did the `reshape` have to find for itself?",
            "tests-what-the-reshape-made",
        ),
        "c": Option(
            "`assert words.max() < embedding.num_embeddings`",
            "On a text with a rare word it would. Here the table has 60 rows of 3000 numbers, and "
            "all ids of the author's sentence are below 60.",
            "waits-for-a-rare-word",
        ),
        "d": Option(
            "`assert x.numel() == words.numel() * 60`",
            "Right. The arguments of the embedding are swapped, so a word becomes 3000 numbers "
            "and not 60. The reshape hides it by cutting them into 50 pieces, but it loses none: "
            "there are 50 times too many, and the LSTM makes 600 steps for 12 words.",
        ),
    },
)
