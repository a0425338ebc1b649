"""Predict: mixed pixels."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_better",
    points=2,
    section="Little data: a CNN, a ViT and a linear model",
    right="a",
    options={
        "a": Option(
            "The same, but for chance: nothing in the model knows which pixels are near.",
            "Right. Each token is one pixel, and its place is a learned row of a table; number "
            "the places otherwise, and nothing changes. With larger patches it would: they group "
            "pixels.",
        ),
        "b": Option(
            "A little lower: the ViT loses its neighbours, just as the CNN of the lecture.",
            "The CNN has windows of 3 x 3, so neighbours are built into it. With patches of one "
            "pixel, what is built into the ViT?",
            "vit-has-neighbours",
        ),
        "c": Option(
            "Far lower: strokes are torn up, and attention looks for strokes in the image.",
            "Our eyes look for strokes, because they know neighbours. What here knows that pixel 8 "
            "lies below pixel 0?",
            "judged-by-eye",
        ),
        "d": Option(
            "One in ten, a guess: positions learned on pictures do not fit mixed ones.",
            "They would not, if the first model were tested on mixed images. Here a new one "
            "learns its positions on them.",
            "old-positions",
        ),
    },
)
