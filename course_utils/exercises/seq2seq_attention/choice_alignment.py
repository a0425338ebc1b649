"""Spot the bug: who looked at whom?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_alignment",
    points=2,
    section="Reading an alignment matrix",
    right="a",
    options={
        "a": Option(
            "The labels: a row carries the word that went in, and *das* was looked at for *the*.",
            "Right. The step that is given *read* writes *the*. A row belongs to what is being "
            "written, and that is always one token later than what goes in.",
        ),
        "b": Option(
            "The drawing: a softmax picks one place per step, so no row can have a second mark.",
            "Softmax shares the weight out; two marks in a row are common, for instance where a "
            "word of one language is two words of the other.",
            "softmax-picks-one",
        ),
        "c": Option(
            "Nothing: word order differs between the languages, so *read* may well look at *das*.",
            "Then who looked at *gelesen*? Fill in the word that each step *writes*, and the "
            "matrix makes sense.",
            "trusts-the-label",
        ),
        "d": Option(
            "The direction: the rows are what was read, so it is *das* that looked at *read*.",
            "The German words were read, and they stand along the top: columns are what can be "
            "looked at. The direction is right; which step is it?",
            "direction-reversed",
        ),
    },
)
