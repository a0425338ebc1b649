"""Spot the bug: a program that runs."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="slide_two_bugs",
    points=2,
    section="Two bugs that hide one another",
    right="d",
    options={
        "a": Option(
            "12: one step per word; the 180,000 weights show that all is well.",
            "60 times 3000 is 180,000 too: a product does not know the order of its factors, so "
            "the number of parameters cannot show whether the arguments are in the right order.",
            "trusts-the-count",
        ),
        "b": Option(
            "50: the reshape makes 50 steps of every text, long or short.",
            "The -1 is filled in so that no number is lost: a longer text gives more steps. Count "
            "the numbers that come out of the embedding for 12 words.",
            "steps-of-one-word",
        ),
        "c": Option(
            "None: torch reports the mistake as soon as the text comes in.",
            "It reports nothing as long as all ids are below 60: the table has 60 rows of 3000 "
            "numbers, and the reshape makes the sizes fit again.",
            "expects-an-error",
        ),
        "d": Option(
            "600: every word has become 50 pieces, each read as a word.",
            "Right. The arguments of the embedding are swapped, so a word becomes 3000 numbers, "
            "and the reshape hides it by cutting them into 50 pieces of 60. The program even "
            "learns something. What shows it is a look at the length of the sequence.",
        ),
    },
)
