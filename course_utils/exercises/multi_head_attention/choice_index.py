"""Spot the bug: one letter."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_index",
    points=2,
    section="Head by head",
    right="b",
    options={
        "a": Option(
            "An error: h and g are two letters for axes of the same length, and they clash.",
            "Two letters may well have the same length. `einsum` has no idea that g was meant to "
            "be h.",
            "expects-an-error",
        ),
        "b": Option(
            "Each head compares its query with the sum of the keys that all the heads have.",
            "Right. g occurs in the keys only, so they are added up over the heads before the "
            "product: the heads no longer have their own keys. It must be `bhtd,bhsd->bhts`.",
        ),
        "c": Option(
            "All heads get the same weights, because the letter for the heads is summed over.",
            "It is summed over in the keys only; h is still there in the queries and in the "
            "result. Different queries get different weights.",
            "all-heads-alike",
        ),
        "d": Option(
            "The right scores: g and h both count the heads, so each one meets its own keys.",
            "`einsum` knows letters, not meanings. With two letters there is no pair of a query "
            "and a key of the same head.",
            "letters-have-meanings",
        ),
    },
)
