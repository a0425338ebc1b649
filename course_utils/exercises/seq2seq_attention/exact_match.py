"""All or nothing: `exact_match(predicted, target, pad)`, (B, T), (B, T) -> a share in [0, 1]."""

import torch
from torch import Tensor

from course_utils import seq2seq_attention as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise


def case(draw: Draw, label: str, steps: int, pad: int, rows: str, group: str = "basic") -> Case:
    """One row per letter: s same and not padded, b beyond the end differs, o one token wrong,
    l last token wrong, p pad too early, w all wrong, e empty target, n no difference in a padded
    row; with a pad inside: i a token after it wrong, j only that place differs, m the same words
    without pads."""

    def words(*shape: int) -> Tensor:
        """Any ids but pad, smaller and larger ones."""
        ids = draw.integers(0, 17, *shape)
        return ids + (ids >= pad)

    target = words(len(rows), steps)
    predicted = target.clone()
    for row, kind in enumerate(rows):
        length = steps if kind in "sijm" else draw.integer(2, steps - 1)
        target[row, length:] = predicted[row, length:] = pad
        if kind == "b":
            predicted[row, length:] = words(steps - length)
        elif kind in "ol":
            predicted[row, length - 1 if kind == "l" else draw.integer(0, length - 2)] += 20
        elif kind == "p":
            predicted[row, length - 1 :] = pad
        elif kind == "w":
            predicted[row, :length] += 30
        elif kind == "e":
            target[row] = pad
        elif kind in "ijm":
            hole = draw.integer(1, steps - 2)
            target[row, hole] = pad
            predicted[row, -1] += 20 * (kind == "i")
            if kind == "m":
                predicted[row, hole:] = target[row, hole:].roll(-1)
    return Case(label, args=(predicted, target, pad), group=group)


def cases(draw: Draw) -> list[Case]:
    t, u, v = draw.sizes(3, low=4, high=9)
    return [
        Case(
            "the example of the text",
            args=(torch.tensor([[5, 6, 7], [5, 0, 0]]), torch.tensor([[5, 6, 0], [5, 6, 0]]), 0),
        ),
        case(draw, "some right, some wrong", t, 0, "sowsln"),
        case(draw, "one of them differs only where the target is padded", u, 0, "sbobn"),
        case(draw, "another pad", v, draw.integer(3, 8), "bswbnsol"),
        case(draw, "stopped too early", t, 0, "pspps"),
        case(draw, "padding inside the target", u, draw.integer(3, 8), "iijs", "edge"),
        case(draw, "the right words, in other places", v, 0, "mjs", "edge"),
        case(draw, "all right", u, 0, "ssbn", "edge"),
        case(draw, "all wrong", v, 0, "ollw", "edge"),
        case(draw, "a target of nothing but padding", t, 0, "oeo", "edge"),
        case(draw, "one sentence", u, 0, "b", "edge"),
    ]


EXERCISE = Exercise(
    name="exact_match",
    points=3,
    section="Exact match: all or nothing",
    reference=ref.exact_match,
    returns=("a share between 0 and 1",),
    cases=cases,
)


def right(predicted: Tensor, target: Tensor, pad: int) -> Tensor:
    return (predicted == target) | (target == pad)


def share(fine: Tensor) -> Tensor:
    """Of the sentences that are fine at every position."""
    return fine.all(1).float().mean()


EXERCISE.misconception(
    "token-accuracy",
    "The share of tokens, not of sentences",
    "You count right tokens. A date with nine right characters out of ten is a wrong date: a "
    "sentence counts only if all of its tokens are right.",
    lambda predicted, target, pad: (predicted == target)[target != pad].float().mean(),
)

EXERCISE.misconception(
    "token-accuracy-with-padding",
    "The share of all positions",
    "You count right positions, padding included. A sentence counts only if all of its tokens are "
    "right, and padding is not one of them.",
    lambda predicted, target, pad: (predicted == target).float().mean(),
)

EXERCISE.misconception(
    "token-accuracy-padding-free",
    "The share of positions, padding counted as right",
    "You average over positions, where padding is always right. Asked for is a share of "
    "sentences: combine the positions of a sentence first, then average.",
    lambda predicted, target, pad: right(predicted, target, pad).float().mean(),
)

EXERCISE.misconception(
    "mean-accuracy",
    "The mean of the sentences' accuracies",
    "You give a sentence a part of the point for every right token. Exact match knows only all or "
    "nothing.",
    lambda predicted, target, pad: (
        ((predicted == target) & (real := target != pad)).sum(1) / real.sum(1)
    ).mean(),
)

EXERCISE.misconception(
    "padding-compared",
    "Padding is compared too",
    "You ask for equality at every position. What a model writes after the end of the target does "
    "not matter: positions where the target is pad are always right.",
    lambda predicted, target, pad: share(predicted == target),
)

EXERCISE.misconception(
    "cut-at-the-first-pad",
    "The target does not end at the first pad",
    "You compare up to the first pad of the target and forget the rest. A pad can stand inside: "
    "every position at which the target is not pad counts.",
    lambda predicted, target, pad: share((predicted == target) | (target == pad).cumsum(1).bool()),
)


@EXERCISE.misconception(
    "pads-removed",
    "Words are compared without their places",
    "You take the pads out of both sentences and compare what is left. Then a prediction that "
    "goes on after the end of the target is wrong, and one with the right words in other places "
    "is right. Compare place by place, where the target is not pad.",
)
def pads_removed(predicted: Tensor, target: Tensor, pad: int) -> Tensor:
    pairs = zip(predicted, target, strict=True)
    return torch.tensor([torch.equal(p[p != pad], t[t != pad]) for p, t in pairs]).float().mean()


EXERCISE.misconception(
    "pad-is-not-the-smallest",
    "Ids below pad are words as well",
    "You treat every id up to `pad` as padding. `pad` is one id among the others: smaller ones are "
    "words.",
    lambda predicted, target, pad: share((predicted == target) | (target <= pad)),
)

EXERCISE.misconception(
    "prediction-decides",
    "The prediction decides what counts",
    "You leave out the positions where the *prediction* is pad. A model that writes nothing at "
    "all would be always right. Which positions count is for the target to say.",
    lambda predicted, target, pad: share((predicted == target) | (predicted == pad)),
)

EXERCISE.misconception(
    "either-decides",
    "A pad in either counts as right",
    "You leave out a position if either of the two is pad. A model that stops too early would be "
    "forgiven the rest of the sentence: only the target may say what counts.",
    lambda predicted, target, pad: share(right(predicted, target, pad) | (predicted == pad)),
)

EXERCISE.misconception(
    "any-token",
    "One right token is enough",
    "You take a sentence for right as soon as any of its tokens is. `any` and `all` are easily "
    "confused; which one is it here?",
    lambda predicted, target, pad: right(predicted, target, pad).any(1).float().mean(),
)

EXERCISE.misconception(
    "any-real-token",
    "One right token is enough",
    "You take a sentence for right as soon as any of its real tokens is. `any` and `all` are "
    "easily confused; which one is it here?",
    lambda predicted, target, pad: ((predicted == target) & (target != pad)).any(1).float().mean(),
)

EXERCISE.misconception(
    "padding-is-wrong",
    "Padding counts as wrong",
    "You want every position to be right *and* real. A padded sentence can never be right then, "
    "however good the prediction is.",
    lambda predicted, target, pad: share((predicted == target) & (target != pad)),
)

EXERCISE.misconception(
    "wrong-axis",
    "Positions instead of sentences",
    "You combine along the batch: the result is the share of *positions* at which all sentences "
    "are right. Combine along the tokens of one sentence.",
    lambda predicted, target, pad: right(predicted, target, pad).all(0).float().mean(),
)

EXERCISE.misconception(
    "all-or-nothing-for-the-batch",
    "The whole batch or nothing",
    "You combine all positions of all sentences at once: one mistake anywhere makes the result 0. "
    "Combine per sentence.",
    lambda predicted, target, pad: right(predicted, target, pad).all().float(),
)

EXERCISE.misconception(
    "pad-is-not-always-0",
    "pad is not always 0",
    "You treat 0 as padding whatever `pad` is. Use the argument.",
    lambda predicted, target, pad: ref.exact_match(predicted, target, 0),
)

EXERCISE.misconception(
    "counted",
    "A number of sentences, not a share",
    "You return how many sentences are right. Asked for is their share, between 0 and 1.",
    lambda predicted, target, pad: right(predicted, target, pad).all(1).sum(),
)

EXERCISE.misconception(
    "one-per-sentence",
    "One answer per sentence",
    "You return True or False for every sentence. Asked for is the share of those that are right.",
    lambda predicted, target, pad: right(predicted, target, pad).all(1),
)

EXERCISE.misconception(
    "error-rate",
    "The share of the wrong ones",
    "You return the share of sentences that are wrong: 1 minus what is asked for.",
    lambda predicted, target, pad: 1 - ref.exact_match(predicted, target, pad),
)

EXERCISE.misconception(
    "mean-of-truth-values",
    "Truth values have no mean",
    "torch takes the mean of decimal numbers only, and you ask for the mean of True and False. "
    "Convert them first.",
    lambda predicted, target, pad: right(predicted, target, pad).all(1).mean(),
    syntax=lambda tree: (
        syntax.uses(tree, "mean")
        and not syntax.uses(tree, "float", "double", "to", "type", "dtype")
    ),
)
