"""Predict: more heads of the same size."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_speed",
    points=1,
    section="What heads cost",
    right="d",
    options={
        "a": Option(
            "Nothing to either: heads cost neither parameters nor multiplications, whatever their "
            "size.",
            "That holds as long as their sizes add up to D, so that more heads are smaller heads. "
            "Here 16 · 64 is 1024.",
            "heads-are-free",
        ),
        "b": Option(
            "Both stay, and the layer gets faster: sixteen heads work side by side in place of "
            "eight.",
            "One large product is spread over the processors just as well. And here there is "
            "twice as much of it: count the columns of W_Q.",
            "heads-for-speed",
        ),
        "c": Option(
            "The parameters stay as they are, since W_O brings all back to 512; the scores cost "
            "double.",
            "W_O itself has 1024 rows now, and W_Q, W_K and W_V have 1024 columns each.",
            "only-the-width-outside-counts",
        ),
        "d": Option(
            "Both double: sixteen heads of 64 features are 1024 features, twice as many as before.",
            "Right. All four matrices are 512 by 1024, and there are 16 products over 64 features "
            "instead of 8. Heads are free only if they share D among themselves.",
        ),
    },
)
