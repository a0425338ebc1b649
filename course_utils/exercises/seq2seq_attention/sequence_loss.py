"""A loss without padding: `sequence_loss(logits, targets, pad)`, (B, T, V), (B, T) -> scalar."""

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import seq2seq_attention as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.promises import something_real
from course_utils.judging.properties import no_nan


def padded_targets(draw: Draw, batch: int, steps: int, vocabulary: int, pad: int) -> Tensor:
    """(B, T) ids; every row has another number of pads at its end, the first row none."""
    ids = (pad + draw.integers(1, vocabulary - 1, batch, steps)) % vocabulary  # anything but pad
    lengths = torch.tensor([max(1, steps - row) for row in range(batch)])
    return torch.where(torch.arange(steps) < lengths[:, None], ids, pad)


def cases(draw: Draw) -> list[Case]:
    b, t, v = draw.sizes(3, low=3, high=8)

    def pair(
        batch: int, steps: int, words: int, pad: int, scale: float = 2.0
    ) -> tuple[Tensor, Tensor, int]:
        logits = draw.normal(batch, steps, words, scale=scale)
        return logits, padded_targets(draw, batch, steps, words, pad), pad

    logits, targets, _ = pair(b, t, v, 0)
    targets[1] = 0  # nothing but padding
    inside, holes, _ = pair(b, v, t, 1)
    holes[0, 1] = 1
    return [
        Case("2 sentences of up to 3 tokens, 4 words", args=pair(2, 3, 4, 0)),
        Case(f"{b} sentences of up to {t} tokens, {v} words", args=pair(b, t, v, 0)),
        Case("pad is the last word of the vocabulary", args=pair(t, b, v, v - 1)),
        Case("as many words as tokens", args=pair(b, v, v, 0)),
        Case("gradients of the logits", args=pair(v, t, b, 2), gradients=True),
        Case(
            "one sentence is nothing but padding",
            args=(logits, targets, 0),
            gradients=True,
            group="edge",
        ),
        Case("padding inside a sentence", args=(inside, holes, 1), group="edge"),
        Case("logits of ±300", args=pair(b, t, v, 0, scale=300.0), group="edge"),
        Case(
            "no padding at all",
            args=(draw.normal(b, t, v), draw.integers(1, v - 1, b, t), 0),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="sequence_loss",
    points=4,
    section="A loss that does not count padding",
    reference=ref.sequence_loss,
    returns=("the loss, a scalar",),
    cases=cases,
    promised=something_real(1, 2),
    properties=(no_nan(),),
)


def each_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """(B, T, V), (B, T) -> (B, T): the cross entropy of every token."""
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def sentence_means(logits: Tensor, targets: Tensor, pad: int, least: int = 0) -> Tensor:
    """(B,): of the real tokens of each sentence, or of `least`, if there are fewer."""
    real = targets != pad
    return (each_loss(logits, targets) * real).sum(1) / real.sum(1).clamp(min=least)


EXERCISE.misconception(
    "padding-counted",
    "Padding counts as a word",
    "You average over all positions, the padded ones too. The model then earns most of its marks "
    "for writing padding, and the loss depends on how far a batch happened to be padded.",
    lambda logits, targets, pad: each_loss(logits, targets).mean(),
)

EXERCISE.misconception(
    "zeroed-but-divided-by-all",
    "Divided by too many",
    "You set the loss of the padding to 0, then divide by the number of all positions. The more "
    "padding a batch has, the better it looks. A mean divides by the number of things added.",
    lambda logits, targets, pad: (each_loss(logits, targets) * (targets != pad)).mean(),
)

EXERCISE.misconception(
    "mean-of-means",
    "A mean of means",
    "You average within each sentence and then over the sentences. A word of a short sentence "
    "counts more than one of a long sentence that way (and a sentence of padding alone divides by "
    "zero). Asked for is one mean over all real tokens of the batch.",
    lambda logits, targets, pad: torch.stack(
        [F.cross_entropy(x, y, ignore_index=pad) for x, y in zip(logits, targets, strict=True)]
    ).mean(),
    lambda logits, targets, pad: sentence_means(logits, targets, pad).mean(),
)

EXERCISE.misconception(
    "mean-of-means",
    "A mean of means",
    "You average within each sentence and then over the sentences. A word of a short sentence "
    "counts more than one of a long sentence that way. Asked for is one mean over all real tokens "
    "of the batch.",
    lambda logits, targets, pad: sentence_means(logits, targets, pad, least=1).mean(),
    lambda logits, targets, pad: sentence_means(logits, targets, pad, least=1)[
        (targets != pad).any(1)
    ].mean(),
)

EXERCISE.misconception(
    "summed",
    "The sum, not the mean",
    "Your loss grows with the number of tokens, so the size of a step would depend on the batch. "
    "Asked for is the mean.",
    lambda logits, targets, pad: each_loss(logits, targets)[targets != pad].sum(),
)

EXERCISE.misconception(
    "per-sentence",
    "Divided by the number of sentences",
    "You add up over all tokens and divide by the number of sentences. Asked for is the mean per "
    "token: long sentences must not weigh more because of their length.",
    lambda logits, targets, pad: each_loss(logits, targets)[targets != pad].sum() / len(targets),
)

EXERCISE.misconception(
    "reshaped-not-transposed",
    "Reshaped instead of transposed",
    "torch wants the classes on axis 1, and you made room for them there with `reshape` or "
    "`view`. The shape is right, but the numbers were dealt out anew: one word's logits now lie "
    "spread over several positions. Axes are swapped by another operation.",
    lambda logits, targets, pad: F.cross_entropy(
        logits.reshape(len(logits), -1, targets.shape[1]), targets, ignore_index=pad
    ),
)

EXERCISE.misconception(
    "classes-on-the-last-axis",
    "The classes stand on the wrong axis",
    "`cross_entropy` wants the classes on axis 1, and takes your (B, T, V) for T classes at V "
    "places. Either swap these two axes, or make one long list of tokens: (B T, V) and (B T,).",
    lambda logits, targets, pad: F.cross_entropy(logits, targets, ignore_index=pad),
    lambda logits, targets, pad: F.cross_entropy(logits, targets),
    lambda logits, targets, pad: F.cross_entropy(logits, targets, reduction="none")[
        targets != pad
    ].mean(),
)

EXERCISE.misconception(
    "softmax-first",
    "Softmax twice",
    "`cross_entropy` takes raw logits and applies log-softmax itself. With a softmax before it, "
    "everything is squashed into 0 to 1 first: the loss can never come near 0, and the gradient "
    "is small.",
    lambda logits, targets, pad: ref.sequence_loss(logits.softmax(-1), targets, pad),
)


def chosen(logits: Tensor, targets: Tensor) -> Tensor:
    """(B, T): the probabilities of the right words."""
    return logits.softmax(-1).gather(-1, targets[..., None])[..., 0]


EXERCISE.misconception(
    "unstable-log",
    "The logarithm of 0",
    "You take softmax first and the logarithm afterwards. For confident logits a probability "
    "rounds to 0, and its logarithm is minus infinity. There is one function that does both at "
    "once and stays finite.",
    lambda logits, targets, pad: -chosen(logits, targets).log()[targets != pad].mean(),
    lambda logits, targets, pad: (
        -(chosen(logits, targets).log() * (targets != pad)).sum() / (targets != pad).sum()
    ),
)

EXERCISE.misconception(
    "probability-not-log",
    "A probability without its logarithm",
    "You average the probabilities of the right words. Cross entropy averages their logarithms: a "
    "word that was thought impossible must cost a lot.",
    lambda logits, targets, pad: -chosen(logits, targets)[targets != pad].mean(),
)

EXERCISE.misconception(
    "sign-lost",
    "The minus is missing",
    "Your loss is negative and falls when the model gets worse: training would make the right "
    "words unlikely.",
    lambda logits, targets, pad: -ref.sequence_loss(logits, targets, pad),
)

EXERCISE.misconception(
    "pad-is-not-always-0",
    "pad is not always 0",
    "You leave out the tokens with the id 0 whatever `pad` is. Which id is padding depends on the "
    "vocabulary: use the argument.",
    lambda logits, targets, pad: ref.sequence_loss(logits, targets, 0),
)

EXERCISE.misconception(
    "shifted-again",
    "Shifted once too often",
    "You compare step t of the logits with target t + 1. The decoder's input was already shifted "
    "by one: logits and targets belong together position by position.",
    lambda logits, targets, pad: ref.sequence_loss(logits[:, :-1], targets[:, 1:], pad),
)

EXERCISE.misconception(
    "mask-from-the-prediction",
    "The prediction decides what counts",
    "You leave out the positions at which the model predicts padding. Then it can escape the loss "
    "by predicting padding. Which tokens are real is for the targets to say.",
    lambda logits, targets, pad: each_loss(logits, targets)[logits.argmax(-1) != pad].mean(),
)

EXERCISE.misconception(
    "only-padding",
    "The mask is inverted",
    "Your loss is the mean over the padding, and the real tokens are left out. True must stand on "
    "what counts.",
    lambda logits, targets, pad: each_loss(logits, targets)[targets == pad].mean(),
)

EXERCISE.misconception(
    "one-loss-per-token",
    "One number per token",
    "You return one loss per position. Training needs one number: the mean over the real tokens.",
    lambda logits, targets, pad: each_loss(logits, targets),
)

EXERCISE.misconception(
    "perplexity",
    "The perplexity",
    "You return the exponential of the mean cross entropy. That is the perplexity, a good thing "
    "to report; asked for is the loss itself.",
    lambda logits, targets, pad: ref.sequence_loss(logits, targets, pad).exp(),
)
