"""Predict: the size of the gates."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="slide_gates",
    points=2,
    section="One word at a time",
    right="c",
    options={
        "a": Option(
            "120,000: from word and context, 150 numbers, to the 800 of four gates.",
            "The gates decide what to keep of the state, and look at the state as well. What else "
            "goes in?",
            "state-left-out",
        ),
        "b": Option(
            "70,000: from word, state and context, 350 numbers, to 200 of the state.",
            "There are four gates, and each has one number for each number of the state. (The "
            "paper has the same slip.)",
            "one-gate",
        ),
        "c": Option(
            "280,000: from word, state and context, 350 numbers, to 800 of four gates.",
            "Right: 350 inputs, and 200 outputs for each of the four gates. torch keeps them in "
            "two matrices, 800 by 150 for the input and 800 by 200 for the state.",
        ),
        "d": Option(
            "200,000: from word and state, 250 numbers, to the 800 of all four gates.",
            "What was seen goes into the LSTM beside the word: without it the look would change "
            "nothing.",
            "context-left-out",
        ),
    },
)
