"""Your turn: the row of *name*."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_your_turn",
    points=2,
    section="Cross-attention: the target asks, the source answers",
    right="b",
    options={
        "a": Option(
            ".00 · Salut + .69 · je + .00 · suis + 1.39 · Alex",
            "Those are the similarities themselves. They may be negative and sum to anything, "
            "here to 2.08: a vector twice as long as any mean.",
            "raw-similarities",
        ),
        "b": Option(
            ".13 · Salut + .25 · je + .13 · suis + .50 · Alex",
            "Right. One softmax per query, over the keys: 1, 2, 1 and 4 out of 8.",
        ),
        "c": Option(
            ".00 · Salut + .33 · je + .00 · suis + .67 · Alex",
            "The similarities divided by their sum. That breaks down as soon as one is negative; "
            "and a similarity of 0 is an ordinary one: exp(0) is 1.",
            "shares-of-similarities",
        ),
        "d": Option(
            ".13 · Salut + .33 · je + .33 · suis + .67 · Alex",
            "That is a softmax down the columns: the three English words compete for each French "
            "one, and the weights of *name* sum to 1.46.",
            "softmax-over-queries",
        ),
    },
)
