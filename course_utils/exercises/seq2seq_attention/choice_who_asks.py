"""Spot the bug: who asks?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_who_asks",
    points=2,
    section="Who asks, who answers",
    right="b",
    options={
        "a": Option(
            "Nothing: one row for each word of the text, and a column for each written word.",
            "One row per query, always. So who asks here, and of what are the mixtures made that "
            "come back?",
            "any-order-will-do",
        ),
        "b": Option(
            "The text asks: each of its 400 words gets a mixture of the 20 words written.",
            "Right. Nothing of the text reaches the summary by this way. The summary must ask: 20 "
            "rows, 400 columns, and one more row with each word.",
        ),
        "c": Option(
            "Keys and values are swapped: the 20 words are searched, the 400 are returned.",
            "Keys and values come in pairs, one value for each key: 20 columns are 20 keys and 20 "
            "values. What is swapped are queries and keys.",
            "keys-and-values-swapped",
        ),
        "d": Option(
            "It is the self-attention of the text, in which only 20 of the keys were kept.",
            "Then the columns would be words of the text. Twenty is the length of the summary, "
            "and the number grows with every word that is written.",
            "taken-for-self-attention",
        ),
    },
)
