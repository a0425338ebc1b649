"""Spot the bug: split first."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_pieces",
    points=2,
    section="What a head sees",
    right="b",
    options={
        "a": Option(
            "3 · 512², and nothing: it makes no difference whether one splits first or projects.",
            "Count the numbers in `nn.Linear(64, 64)`. And ask which features of a word can reach "
            "the query of head 0.",
            "order-does-not-matter",
        ),
        "b": Option(
            "3 · 64²: all the heads share them, and each of the heads sees only 64 features.",
            "Right. 64 times fewer than 3 · 512². Project the whole embedding first: then each "
            "head has its own columns of the matrix and sees all 512 features.",
        ),
        "c": Option(
            "3 · 8 · 64²: every head has its own matrices, but each sees only its own 64 features.",
            "The second half is true. But where are eight matrices? A linear layer works on the "
            "last axis and treats the axis of the heads like a batch.",
            "a-matrix-for-each-head",
        ),
        "d": Option(
            "3 · 64², and it cannot run: such a layer takes (B, T, 64), with three axes and not "
            "four.",
            "A linear layer takes any number of axes and works on the last one. It runs, which is "
            "why nobody notices.",
            "expects-an-error",
        ),
    },
)
