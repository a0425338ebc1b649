"""Predict: how many sets of keys?"""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_cross",
    points=2,
    section="Which layer of the encoder?",
    right="a",
    options={
        "a": Option(
            "3: each layer of the decoder makes one from the memory, and then it never changes.",
            "Right. Three matrices W_k, one memory from the last encoder layer, and nothing of it "
            "depends on what is written: these keys can be computed once and kept.",
        ),
        "b": Option(
            "1: all three layers of the decoder read one and the same memory, hence its keys.",
            "The memory is the same, the keys are not: each layer has its own W_k, with which it "
            "looks for something of its own.",
            "one-memory-one-set",
        ),
        "c": Option(
            "60: one for each layer and written word, since the memory follows what is said.",
            "The memory is made of the source, and the source does not change while one writes. "
            "The *queries* are new for each word.",
            "memory-follows-the-target",
        ),
        "d": Option(
            "6: one for each layer of the encoder, and the layers of the decoder share them.",
            "Only the last layer of the encoder is read, when all six are done. And each decoder "
            "layer makes its keys with its own W_k.",
            "layer-by-layer",
        ),
    },
)
