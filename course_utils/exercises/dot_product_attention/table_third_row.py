"""Read the table."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="table_third_row",
    points=1,
    section="Weights from similarity",
    right="c",
    options={
        "a": Option(
            "0.3 x1 + 0.4 x2 + 0.3 x3",
            "That is the third row with the missing .3 given to x1. Weights of one word sum to "
            "one by themselves: which lines of this table do, the rows or the columns?",
            "reads-the-row",
        ),
        "b": Option(
            "0.0 x1 + 0.6 x2 + 0.4 x3",
            "That is the third row, divided by its sum. Weights come out of a softmax and sum to "
            "one already; where they do not, they are not the weights of one word.",
            "rescales-the-row",
        ),
        "c": Option(
            "0.1 x1 + 0.6 x2 + 0.3 x3",
            "Right: all columns sum to one and two of the rows do not, so the table is turned on "
            "its side, and a column belongs to a word that looks. This course prints rows.",
        ),
        "d": Option(
            "0.1 x1 + 0.9 x2 + 0.0 x3",
            "x3 itself is left out, and its share given to x2. A word is part of its own context.",
            "ignores-itself",
        ),
    },
)
