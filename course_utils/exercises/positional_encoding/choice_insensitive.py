"""Predict: who can tell?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_insensitive",
    points=1,
    section="Attention does not see order",
    right="d",
    options={
        "a": Option(
            "The mean of the three output vectors, as in most classifiers of text.",
            "The same three vectors come out, in another order: their mean is the same.",
            "mean-sees-order",
        ),
        "b": Option(
            "The output vector of *bites*, which has looked at the other two words.",
            "It has looked at a dog and at a man, in both sentences, and has no idea which of "
            "them stood in front. It is the same vector.",
            "context-sees-order",
        ),
        "c": Option(
            "The largest number of every feature, taken over the three output vectors.",
            "A maximum over the same three vectors is the same, in whatever order they come.",
            "maximum-sees-order",
        ),
        "d": Option(
            "The output vector at place 0, whichever word of them happens to be there.",
            "Right. Outputs move along with their words (equivariant): at place 0 it is the dog's "
            "vector once, and the man's once. Only what does not ask for a place is blind to "
            "order.",
        ),
    },
)
