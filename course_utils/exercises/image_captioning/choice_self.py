"""Spot the mistake: whose attention?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_self",
    points=2,
    section="Where to look: soft attention",
    right="c",
    options={
        "a": Option(
            "It is one layer: CLS gathers the frisbee in several, so they must be joined.",
            "Join them, and draw the map for the word *park* as well. Would it be another one?",
            "cls-knows-the-word",
        ),
        "b": Option(
            "It lies over words: the row of CLS belongs to the caption, not the picture.",
            "The eye reads patches and nothing else; a row of its attention has one weight per "
            "patch. It does lie over the picture.",
            "eye-reads-words",
        ),
        "c": Option(
            "It is the same for all words: the eye is done before a word is written.",
            "Right. It is self-attention of the picture. What depends on the word is the "
            "decoder's cross-attention: the text asks, the regions answer.",
        ),
        "d": Option(
            "It is a mean: one has to take a single head, the rest is only a mixture.",
            "Which head to show is a fair question. But none of them has heard of the word: when "
            "does the eye run?",
            "only-the-head",
        ),
    },
)
