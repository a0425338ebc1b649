"""Label smoothing: `smoothed_loss(logits, targets, pad, smoothing)`.

(B, T, V), (B, T) -> scalar.
"""

import ast
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import transformer_decoder as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden
from course_utils.judging.promises import something_real
from course_utils.judging.properties import no_nan

from ._losses import means_of_sentences, real, smoothed, terms


def cases(draw: Draw) -> list[Case]:
    b, t, v = draw.sizes(3, low=3, high=8)

    def batch(batch: int, length: int, words: int, pad: int) -> tuple[Tensor, Tensor, int]:
        targets = draw.integers(0, words - 1, batch, length)
        targets[targets == pad] = (pad + 1) % words
        for row in range(batch):  # sentences of different lengths
            targets[row, 1 + (row + 1) % length :] = pad
        return draw.normal(batch, length, words, scale=2.0), targets, pad

    far = batch(t, b, v, 0)
    scattered = draw.integers(0, v - 1, b, t)
    scattered[:, 0], scattered[0, 1], scattered[1] = 0, 1, 0  # a sentence of padding alone
    example = draw.normal(1, 1, 4), torch.tensor([[2]]), 0, 0.2

    def case(label: str, *args: Any, **more: Any) -> Case:
        return Case(label, args, **more)

    def edge(label: str, *args: Any, **more: Any) -> Case:
        return Case(label, args, group="edge", **more)

    return [
        case("one word, the target (0.05, 0.05, 0.85, 0.05) of the text", *example),
        case(f"{b} sentences of at most {t} words, {v} words in all", *batch(b, t, v, 0), 0.1),
        case("more smoothing, another padding id", *batch(t, v, b, b - 1), 0.3),
        case("values and gradients", *batch(v, b, t, 0), 0.2, gradients=True),
        edge("no smoothing: plain cross entropy", *batch(b, v, t, 1), 0.0),
        edge("smoothing 1: only the uniform part is left", *batch(v, t, b, 0), 1.0),
        edge("logits of ±200", 100 * far[0], *far[1:], 0.1, gradients=True),
        edge(
            "padding anywhere, one sentence of padding alone",
            draw.normal(b, t, v),
            scattered,
            0,
            0.3,
        ),
        edge("no padding at all", draw.normal(b, t, v), draw.integers(1, v - 1, b, t), 0, 0.1),
    ]


def calls_with(tree: ast.AST, name: str, count: int) -> bool:
    return any(len(call.args) >= count for call in syntax.calls(tree, name))


EXERCISE = Exercise(
    name="smoothed_loss",
    points=4,
    section="Label smoothing: do not be too sure",
    reference=ref.smoothed_loss,
    returns=("the loss, a scalar",),
    cases=cases,
    promised=something_real(1, 2),
    properties=(no_nan(),),
    forbidden=(
        Forbidden(
            "torch has this built in; here you write it yourself. The argument label_smoothing "
            "is not allowed, everything else is.",
            names=("label_smoothing",),
            test=lambda tree: (
                calls_with(tree, "cross_entropy", 8) or calls_with(tree, "CrossEntropyLoss", 6)
            ),
        ),
    ),
)

EXERCISE.misconception(
    "others-only",
    "The right word gets nothing of the smoothing",
    "You spread the smoothing over the wrong words alone. Here, as in torch, all V words share "
    "it, the right one too.",
    smoothed(lambda hot, words, s: (1 - s) * hot + s * (1 - hot) / (len(words) - 1)),
    smoothed(lambda hot, words, s: (1 - s) * hot + s * (1 - hot) / len(words)),
)


EXERCISE.misconception(
    "padding-is-no-word",
    "Padding is left out as a word",
    "You take padding out of the words that share the smoothing (as the Annotated Transformer "
    "does). Here, as in torch, `pad` says only which *positions* are ignored.",
    smoothed(lambda hot, words, s: (1 - s) * hot + s * (1 - hot) * words / (words.sum() - 1)),
    smoothed(lambda hot, words, s: (1 - s) * hot + s * words / words.sum()),
    smoothed(lambda hot, words, s: (1 - s) * hot + s * words / len(words)),
)

EXERCISE.misconception(
    "not-divided",
    "The smoothing is not divided",
    "Every one of the V words gets the whole smoothing in your target, which then sums to far "
    "more than one. It is one s for all words together.",
    smoothed(lambda hot, words, s: (1 - s) * hot + s),
)

EXERCISE.misconception(
    "not-reduced",
    "The right word keeps everything",
    "Your target keeps 1 for the right word and adds the smoothing on top: it sums to 1 + s. What "
    "the others get must be taken from somewhere.",
    smoothed(lambda hot, words, s: hot + s / len(words)),
)

EXERCISE.misconception(
    "roles-swapped",
    "s and 1 - s are swapped",
    "Most of your target is uniform, and only s of it lies on the right word. Look again at which "
    "part smoothing is.",
    smoothed(lambda hot, words, s: s * hot + (1 - s) / len(words)),
)

EXERCISE.misconception(
    "smoothing-ignored",
    "Plain cross entropy",
    "Your loss does not depend on `smoothing`: it is the plain cross entropy.",
    smoothed(lambda hot, words, s: hot),
)

EXERCISE.misconception(
    "pad-counted",
    "Padding is learned",
    "You average over every position, padding included. The model is then rewarded for predicting "
    "padding, which no one will ever ask it for.",
    lambda logits, targets, pad, smoothing: terms(logits, targets, smoothing).mean(),
)

EXERCISE.misconception(
    "pad-in-the-denominator",
    "Divided by all positions",
    "Padding adds nothing to your sum, but it is still counted when you divide: a batch with more "
    "padding looks better. Divide by the number of real tokens.",
    lambda logits, targets, pad, smoothing: (
        terms(logits, targets, smoothing) * (targets != pad)
    ).mean(),
)

EXERCISE.misconception(
    "pad-is-not-always-0",
    "pad is not always 0",
    "You leave out the tokens with the id 0 whatever `pad` is. Which id is padding depends on the "
    "vocabulary: use the argument.",
    lambda logits, targets, pad, smoothing: ref.smoothed_loss(logits, targets, 0, smoothing),
)


@EXERCISE.misconception(
    "pad-in-the-uniform-part",
    "Padding is ignored in one part only",
    "The part with the right words ignores padding, the uniform part does not. Both are sums over "
    "the same positions.",
)
def smooth_part_with_pad(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    log_probs = F.log_softmax(logits, dim=-1)
    right = log_probs.gather(-1, targets[..., None]).squeeze(-1)
    return -(1 - smoothing) * right[targets != pad].mean() - smoothing * log_probs.mean()


EXERCISE.misconception(
    "mean-of-sentences",
    "A mean of means",
    "You average within each sentence first, then over the sentences: a word of a short sentence "
    "counts for more. The text asks for one mean over all real tokens.",
    lambda *args: means_of_sentences(*args).mean(),
    lambda *args: means_of_sentences(*args).nan_to_num().mean(),
    lambda *args: (means := means_of_sentences(*args))[~means.isnan()].mean(),
)

EXERCISE.misconception(
    "sum-over-tokens",
    "A sum instead of a mean",
    "Your loss grows with the number of tokens in the batch. The text asks for the mean over the "
    "tokens that are not padding.",
    lambda *args: real(*args).sum(),
)

EXERCISE.misconception(
    "not-averaged",
    "One loss per token",
    "You return one loss per token. The text asks for one number: their mean.",
    real,
)

EXERCISE.misconception(
    "unstable-log",
    "The logarithm of a rounded 0",
    "You take the softmax first and its logarithm afterwards. With logits of 200 a probability "
    "rounds to 0, and its logarithm is minus infinity. There is one function that does both "
    "safely.",
    lambda *args: real(*args, logs=lambda logits: logits.softmax(-1).log()).mean(),
)

EXERCISE.misconception(
    "no-softmax",
    "Logits used as log probabilities",
    "You use the logits as they are. They are not normalised: a model could lower this loss for "
    "ever by making all of them larger.",
    lambda *args: real(*args, logs=lambda logits: logits).mean(),
)

EXERCISE.misconception(
    "softmax-before-cross-entropy",
    "Softmax twice",
    "You apply softmax to the logits and then something that applies it again. The second softmax "
    "sees numbers between 0 and 1 and makes them all nearly equal.",
    lambda logits, *others: ref.smoothed_loss(logits.softmax(-1), *others),
)

EXERCISE.misconception(
    "wrong-sign",
    "The sign is lost",
    "Your loss is negative: better predictions give a *larger* number. A loss is what gets "
    "smaller.",
    lambda *args: -ref.smoothed_loss(*args),
)
