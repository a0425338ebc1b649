"""Spot the mistake: a random fifth."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_stocks",
    points=2,
    section="Stock prices: an honest failure",
    right="c",
    options={
        "a": Option(
            "The size: a fifth is too small a share for a test, it should be at least half.",
            "A fifth of thousands of windows is plenty. More windows of this kind would repeat "
            "the same mistake.",
            "test-set-too-small",
        ),
        "b": Option(
            "The rival: to beat today's price is easy, it must beat the mean of all prices.",
            "For prices it is the other way round: today's is hard to beat, the mean of thirty "
            "years is very far off. The comparison is fair, the test is not.",
            "rival-too-weak",
        ),
        "c": Option(
            "The split: a test window shares 23 of 24 days with windows it was trained on.",
            "Right. Its neighbours in the training set even contain the day to be predicted. Cut "
            "by time: train on the first years, test on what comes after all of them.",
        ),
        "d": Option(
            "Nothing: it was tested on windows that were drawn at random and never trained on.",
            "Not these windows, but others that begin a day earlier or later. How many of their "
            "numbers are the same?",
            "random-is-fair",
        ),
    },
)
