"""Predict: the size of the gates."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_gates",
    points=2,
    section="One word at a time",
    right="c",
    options={
        "a": Option(
            "560,000: 350 numbers go in as before, and twice as many gates come out.",
            "The state does not only come out of the gates: they look at the state as it was. How "
            "many numbers go in, now that it has 400?",
            "inputs-as-before",
        ),
        "b": Option(
            "220,000: 550 numbers go in now, and the 400 of the new state come out.",
            "There are four gates, and each has one number for each number of the state. (The "
            "paper has the same slip.)",
            "one-gate",
        ),
        "c": Option(
            "880,000: 550 numbers go in now, and 1,600 of the four gates come out.",
            "Right: 550 inputs, and 400 outputs for each of the four gates. It was 280,000, so it "
            "is more than three times as large: both sides grow, but word and context do not.",
        ),
        "d": Option(
            "1,120,000: twice as many go in, twice as many out, so four times 280,000.",
            "Twice as many come out. But word and context keep their 150 numbers: only a part of "
            "what goes in has doubled.",
            "all-doubles",
        ),
    },
)
