"""Unit 04: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import seq2seq_attention as ref
from course_utils import syntax
from course_utils.dot_product_attention import additive_scores, cosine_scores
from course_utils.exercise import Case, Choice, Draw, Exercise, Misconception, Option, Outcome, Property, Unit
from course_utils.masking import masked_softmax
from course_utils.pictures import weights_picture
from course_utils.properties import no_nan, rows_sum_to_one

Pair = tuple[Tensor, Tensor]

# shift_right ---------------------------------------------------------------------------------------------------------


def shift_cases(draw: Draw) -> list[Case]:
    b, t, other = draw.sizes(3, low=2, high=7)
    padded = draw.integers(3, 20, t, b)
    padded[0, -1:] = padded[1, 1:] = 0  # sentences of different lengths
    return [
        Case(f"{b} sentences of {t} tokens", args=(draw.integers(5, 30, b, t), 1)),
        Case(f"{other} sentences of {b} tokens, another bos", args=(draw.integers(5, 30, other, b), draw.integer(31, 40))),
        Case("as many sentences as tokens", args=(draw.integers(5, 30, t, t), 2)),
        Case("padded sentences", args=(padded, 1)),
        Case("bos is 0", args=(draw.integers(5, 30, t, other), 0)),
        Case("sentences of one token", args=(draw.integers(5, 30, b, 1), 3), group="edge"),
        Case("one sentence", args=(draw.integers(5, 30, 1, t), 4), group="edge"),
    ]


def _whole_numbers(case: Case, got: Outcome) -> str | None:
    value = got.value
    if isinstance(value, Tensor) and (value.is_floating_point() or value.dtype == torch.bool):
        return f"the result is of type {value.dtype}, but an embedding looks up whole numbers"
    return None


def bos_column(targets: Tensor, bos: int) -> Tensor:
    return torch.full_like(targets[:, :1], bos)


def _first_replaced(targets: Tensor, bos: int) -> Tensor:
    return torch.cat([bos_column(targets, bos), targets[:, 1:]], dim=1)


def _along_the_batch(targets: Tensor, bos: int) -> Tensor:
    return torch.cat([torch.full_like(targets[:1], bos), targets[:-1]], dim=0)


def _shifted_in_place(targets: Tensor, bos: int) -> Tensor:
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = bos
    return targets


SHIFT = Exercise(
    name="shift_right",
    points=2,
    section="The go symbol and teacher forcing",
    reference=ref.shift_right,
    returns=("decoder inputs (B, T)",),
    cases=shift_cases,
    properties=(Property("token ids stay whole numbers", _whole_numbers),),
    misconceptions=(
        Misconception(
            "shifted-left",
            "Shifted the other way",
            "Step t of your result holds a target that comes later. The decoder would be shown the answer before it gives it; "
            "at step t it may know what was written before t, and nothing else.",
            lambda targets, bos: torch.cat([targets[:, 1:], bos_column(targets, bos)], dim=1),
        ),
        Misconception(
            "not-shifted",
            "The first token is overwritten, nothing is shifted",
            "You put bos in place of the first target and leave the rest where it was: from the second step on, the decoder is given "
            "the very token that it has to predict. The loss falls to zero and nothing has been learned.",
            _first_replaced,
        ),
        Misconception(
            "unchanged",
            "The targets themselves",
            "Your result is the targets as they were. Each step is then given its own answer. What does the decoder know at its first step?",
            lambda targets, bos: targets,
        ),
        Misconception(
            "one-too-long",
            "One token too many",
            "You put bos in front and drop nothing, so the input has one step more than the targets. No step needs the last target as input: after it there is nothing to predict.",
            lambda targets, bos: torch.cat([bos_column(targets, bos), targets], dim=1),
        ),
        Misconception(
            "one-too-short",
            "One token too few",
            "You drop the last target but put nothing in front. The first step has no input then, and every other step is one place off.",
            lambda targets, bos: targets[:, :-1],
        ),
        Misconception(
            "rolled-around",
            "The last token comes round to the front",
            "`roll` brings the last target to the first place: the decoder begins with the end of the sentence. The first place belongs to bos.",
            lambda targets, bos: targets.roll(1, dims=1),
        ),
        Misconception(
            "bos-at-the-end",
            "bos at the end",
            "You append bos behind the targets. It is what the decoder is given before it has written anything: it comes first.",
            lambda targets, bos: torch.cat([targets[:, :-1], bos_column(targets, bos)], dim=1),
        ),
        Misconception(
            "wrong-axis",
            "Shifted along the batch",
            "You shift the sentences of the batch, not the tokens in them: each sentence is given the tokens of its neighbour. Time is axis 1.",
            _along_the_batch,
        ),
        Misconception(
            "reversed",
            "The order is reversed",
            "You turn the sentence round. The decoder is given its past in the order in which it was written.",
            lambda targets, bos: torch.cat([bos_column(targets, bos), targets[:, :-1].flip(1)], dim=1),
        ),
        Misconception(
            "fixed-bos",
            "bos is not always 1",
            "You write the number 1 whatever `bos` is. Which number it has depends on the vocabulary: use the argument.",
            lambda targets, bos: ref.shift_right(targets, 1),
        ),
        Misconception(
            "zeros-in-front",
            "bos is not always 0",
            "You put zeros in front. That number is padding in most vocabularies; the caller says with `bos` which one begins a sentence.",
            lambda targets, bos: ref.shift_right(targets, 0),
        ),
        Misconception(
            "changes-the-targets",
            "The targets are overwritten",
            "You shift inside the tensor that you were given. The caller needs the targets once more, for the loss; now the loss asks for the input.",
            _shifted_in_place,
        ),
        Misconception(
            "decimal-ids",
            "Ids became decimal numbers",
            "The values are right, but they are decimal numbers now, and an embedding looks up whole ones. `torch.ones` and `torch.zeros` "
            "make decimals unless they are told otherwise.",
            lambda targets, bos: ref.shift_right(targets, bos).float(),
        ),
    ),
)

# sequence_loss -------------------------------------------------------------------------------------------------------


def padded_targets(draw: Draw, batch: int, steps: int, vocabulary: int, pad: int) -> Tensor:
    """(B, T) ids; every row has another number of pads at its end, the first row none."""
    ids = (pad + draw.integers(1, vocabulary - 1, batch, steps)) % vocabulary  # anything but pad
    lengths = torch.tensor([max(1, steps - row) for row in range(batch)])
    return torch.where(torch.arange(steps) < lengths[:, None], ids, pad)


def loss_cases(draw: Draw) -> list[Case]:
    b, t, v = draw.sizes(3, low=3, high=8)

    def pair(batch: int, steps: int, words: int, pad: int, scale: float = 2.0) -> tuple[Tensor, Tensor, int]:
        return draw.normal(batch, steps, words, scale=scale), padded_targets(draw, batch, steps, words, pad), pad

    logits, targets, _ = pair(b, t, v, 0)
    targets[1] = 0  # nothing but padding
    inside, holes, _ = pair(b, v, t, 1)
    holes[0, 1] = 1
    return [
        Case("2 sentences of up to 3 tokens, 4 words", args=pair(2, 3, 4, 0)),  # small enough to be printed
        Case(f"{b} sentences of up to {t} tokens, {v} words", args=pair(b, t, v, 0)),
        Case("pad is the last word of the vocabulary", args=pair(t, b, v, v - 1)),
        Case("as many words as tokens", args=pair(b, v, v, 0)),
        Case("gradients of the logits", args=pair(v, t, b, 2), gradients=True),
        Case("one sentence is nothing but padding", args=(logits, targets, 0), group="edge"),
        Case("padding inside a sentence", args=(inside, holes, 1), group="edge"),
        Case("logits of ±300", args=pair(b, t, v, 0, scale=300.0), group="edge"),
        Case("no padding at all", args=(draw.normal(b, t, v), draw.integers(1, v - 1, b, t), 0), group="edge"),
    ]


def each_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """(B, T, V), (B, T) -> (B, T): the cross entropy of every token."""
    return F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")


def _mean_of_means(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    real = targets != pad
    return ((each_loss(logits, targets) * real).sum(1) / real.sum(1)).mean()


def _mean_of_safe_means(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    real = targets != pad
    return ((each_loss(logits, targets) * real).sum(1) / real.sum(1).clamp(min=1)).mean()


def _first_reshaped(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    b, t, v = logits.shape
    return F.cross_entropy(logits.reshape(b, v, t), targets, ignore_index=pad)


def _own_log(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    chosen = logits.softmax(-1).gather(-1, targets[..., None])[..., 0].log()
    return -chosen[targets != pad].mean()


def _probabilities(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    chosen = logits.softmax(-1).gather(-1, targets[..., None])[..., 0]
    return -chosen[targets != pad].mean()


def _shifted_again(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    return ref.sequence_loss(logits[:, :-1], targets[:, 1:], pad)


def _by_logits(logits: Tensor, targets: Tensor, pad: int) -> Tensor:
    real = logits.argmax(-1) != pad
    return each_loss(logits, targets)[real].mean()


LOSS = Exercise(
    name="sequence_loss",
    points=4,
    section="A loss that does not count padding",
    reference=ref.sequence_loss,
    returns=("the loss, a scalar",),
    cases=loss_cases,
    properties=(no_nan(),),
    misconceptions=(
        Misconception(
            "padding-counted",
            "Padding counts as a word",
            "You average over all positions, the padded ones too. The model then earns most of its marks for writing padding, and the "
            "loss depends on how far a batch happened to be padded.",
            lambda logits, targets, pad: each_loss(logits, targets).mean(),
        ),
        Misconception(
            "zeroed-but-divided-by-all",
            "Divided by too many",
            "You set the loss of the padding to 0, then divide by the number of all positions. The more padding a batch has, the better "
            "it looks. A mean divides by the number of things that were added.",
            lambda logits, targets, pad: (each_loss(logits, targets) * (targets != pad)).mean(),
        ),
        Misconception(
            "mean-of-means",
            "A mean of means",
            "You average within each sentence and then over the sentences. A word of a short sentence counts more than one of a long "
            "sentence that way (and a sentence of padding alone divides by zero). Asked for is one mean over all real tokens of the batch.",
            _mean_of_means,
        ),
        Misconception(
            "mean-of-means",
            "A mean of means",
            "You average within each sentence and then over the sentences. A word of a short sentence counts more than one of a long sentence "
            "that way. Asked for is one mean over all real tokens of the batch.",
            _mean_of_safe_means,
        ),
        Misconception(
            "summed",
            "The sum, not the mean",
            "Your loss grows with the number of tokens, so the size of a step would depend on the batch. Asked for is the mean.",
            lambda logits, targets, pad: each_loss(logits, targets)[targets != pad].sum(),
        ),
        Misconception(
            "per-sentence",
            "Divided by the number of sentences",
            "You add up over all tokens and divide by the number of sentences. Asked for is the mean per token: long sentences must not weigh more because of their length.",
            lambda logits, targets, pad: each_loss(logits, targets)[targets != pad].sum() / len(targets),
        ),
        Misconception(
            "reshaped-not-transposed",
            "Reshaped instead of transposed",
            "torch wants the classes on axis 1, and you made room for them there with `reshape` or `view`. The shape is right, but the numbers "
            "were dealt out anew: one word's logits now lie spread over several positions. Axes are swapped by another operation.",
            _first_reshaped,
        ),
        Misconception(
            "softmax-first",
            "Softmax twice",
            "`cross_entropy` takes raw logits and applies log-softmax itself. With a softmax before it, everything is squashed into 0 to 1 first: "
            "the loss can never come near 0, and the gradient is small.",
            lambda logits, targets, pad: ref.sequence_loss(logits.softmax(-1), targets, pad),
        ),
        Misconception(
            "unstable-log",
            "The logarithm of 0",
            "You take softmax first and the logarithm afterwards. For sure logits a probability rounds to 0, and its logarithm is minus infinity. "
            "There is one function that does both at once and stays finite.",
            _own_log,
        ),
        Misconception(
            "probability-not-log",
            "A probability without its logarithm",
            "You average the probabilities of the right words. Cross entropy averages their logarithms: a word that was thought impossible must cost a lot.",
            _probabilities,
        ),
        Misconception(
            "sign-lost",
            "The minus is missing",
            "Your loss is negative and falls when the model gets worse: training would make the right words unlikely.",
            lambda logits, targets, pad: -ref.sequence_loss(logits, targets, pad),
        ),
        Misconception(
            "pad-is-not-always-0",
            "pad is not always 0",
            "You leave out the tokens with the id 0 whatever `pad` is. Which id is padding depends on the vocabulary: use the argument.",
            lambda logits, targets, pad: ref.sequence_loss(logits, targets, 0),
        ),
        Misconception(
            "shifted-again",
            "Shifted once too often",
            "You compare step t of the logits with target t + 1. The decoder's input was already shifted by one: logits and targets belong "
            "together position by position.",
            _shifted_again,
        ),
        Misconception(
            "mask-from-the-prediction",
            "The prediction decides what counts",
            "You leave out the positions at which the model predicts padding. Then it can escape the loss by predicting padding. Which tokens are real is for the targets to say.",
            _by_logits,
        ),
        Misconception(
            "only-padding",
            "The mask is inverted",
            "Your loss is the mean over the padding, and the real tokens are left out. True must stand on what counts.",
            lambda logits, targets, pad: each_loss(logits, targets)[targets == pad].mean(),
        ),
        Misconception(
            "one-loss-per-token",
            "One number per token",
            "You return one loss per position. Training needs one number: the mean over the real tokens.",
            lambda logits, targets, pad: each_loss(logits, targets),
        ),
        Misconception(
            "perplexity",
            "The perplexity",
            "You return the exponential of the mean cross entropy. That is the perplexity, a good thing to report; asked for is the loss itself.",
            lambda logits, targets, pad: ref.sequence_loss(logits, targets, pad).exp(),
        ),
    ),
)

# luong_context -------------------------------------------------------------------------------------------------------


def very_low(draw: Draw, batch: int, steps: int, dim: int) -> Pair:
    """A state and a memory whose scores all lie near -50: only then is a mask of 0 or -10 not good enough."""
    direction = F.normalize(draw.normal(batch, dim), dim=-1)  # (B, D)
    return 7 * direction, draw.normal(batch, steps, dim, scale=0.2) - 7 * direction[:, None]


def luong_cases(draw: Draw) -> list[Case]:
    b, s, d = draw.sizes(3, low=3, high=8)

    def data(batch: int, steps: int, dim: int) -> tuple[Tensor, Tensor, Tensor]:
        return draw.normal(batch, dim), draw.normal(batch, steps, dim), draw.mask(batch, steps)

    nothing = draw.mask(b, s)
    nothing[1] = False
    return [
        Case("2 states, 3 places, 4 numbers each", args=data(2, 3, 4)),  # small enough to be printed
        Case(f"{b} states, {s} places, {d} numbers each", args=data(b, s, d)),
        Case("as many states as places", args=data(s, s, d)),
        Case("as many places as numbers", args=data(b, d, d)),
        Case("very low scores", args=(*very_low(draw, d, s, b), draw.mask(d, s))),
        Case("gradients", args=data(s, b, d), gradients=True),
        Case("nothing is masked", args=(draw.normal(d, b), draw.normal(d, s, b), torch.ones(d, s, dtype=torch.bool)), group="edge"),
        Case("one row has nothing to look at", args=(draw.normal(b, d), draw.normal(b, s, d), nothing), group="edge"),
        Case("a source of one token", args=(draw.normal(b, d), draw.normal(b, 1, d), torch.ones(b, 1, dtype=torch.bool)), group="edge"),
        Case("very high scores", args=(20 * draw.normal(b, d), 20 * draw.normal(b, s, d), draw.mask(b, s)), group="edge"),
    ]


def dots(state: Tensor, memory: Tensor) -> Tensor:
    return torch.einsum("bd,bsd->bs", state, memory)


def mix(weights: Tensor, memory: Tensor) -> Tensor:
    return torch.einsum("bs,bsd->bd", weights, memory)


def nan_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


Weigh = Callable[[Tensor, Tensor], Tensor]  # scores (B, S), mask (B, S) -> weights (B, S)


def _zeroed_after(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.softmax(-1) * mask


def _filled(value: float) -> Weigh:
    return lambda scores, mask: scores.masked_fill(~mask, value).softmax(-1)


MASKING: tuple[tuple[str, str, str, Weigh], ...] = (
    (
        "mask-ignored",
        "The mask is not used",
        "You attend to everything, padding included. Padding is not part of the sentence: it must get no weight at all.",
        lambda scores, mask: scores.softmax(-1),
    ),
    (
        "inverted-mask",
        "The mask is inverted",
        "You attend exactly to what is masked out. True means *may attend* here.",
        lambda scores, mask: masked_softmax(scores, ~mask),
    ),
    (
        "mask-of-zeros",
        "A score of 0 is not no weight",
        "You give masked places the score 0. exp(0) is 1, and where the real scores are negative, padding wins. Which score has the exponential 0?",
        _filled(0.0),
    ),
    (
        "mask-not-low-enough",
        "Not low enough",
        "You give masked places a score of about -10. Real scores can be far lower than that, and then padding wins. Nothing finite and modest is safe.",
        _filled(-10.0),
    ),
    (
        "not-renormalised",
        "The weights no longer sum to one",
        "You set weights to zero after the softmax. The padding has already taken its share, so what is left sums to less than one.",
        _zeroed_after,
    ),
    (
        "nan-row",
        "NaN where there is nothing to look at",
        "In a row without any True all your scores are -inf, and their softmax is 0 / 0. The course's rule: such a row has weights 0 and context 0. "
        "`masked_softmax` of unit 03 keeps that rule.",
        nan_softmax,
    ),
    (
        "uniform-where-nothing-is-allowed",
        "Padding is used after all",
        "Your fill is finite, so in a row without any True all scores are equal and everything gets the same weight. The course's rule: such a row has weights 0 and context 0.",
        _filled(-1e9),
    ),
    (
        "softmax-over-the-batch",
        "Softmax along the wrong axis",
        "Your columns sum to one: the sentences of the batch compete with each other. It is the places of one sentence that share the weight.",
        lambda scores, mask: masked_softmax(scores.T, mask.T).T,
    ),
    (
        "no-softmax",
        "Scores are not weights",
        "You weigh with the raw scores. They can be negative and do not sum to one.",
        lambda scores, mask: scores * mask,
    ),
    (
        "hard-choice",
        "One place takes all",
        "You give the best place all the weight. That is hard attention, and no gradient flows through the choice; here every allowed place has its share.",
        lambda scores, mask: F.one_hot(scores.masked_fill(~mask, -torch.inf).argmax(-1), scores.shape[-1]).to(scores.dtype),
    ),
    (
        "every-place-the-same",
        "Every place counts the same",
        "Your weights are the same for all allowed places: the state has no say. What makes the decoder look at different places at different steps?",
        lambda scores, mask: masked_softmax(torch.zeros_like(scores), mask),
    ),
)

Score = Callable[..., Tensor]  # of the exercise's arguments without the mask -> (B, S)


def attends(score: Score, weigh: Weigh = masked_softmax) -> Callable[..., Pair]:
    """Attention with another score or another softmax; state, memory and what else there is come first, the mask last."""

    def variant(*args: Tensor) -> Pair:
        weights = weigh(score(*args[:-1]), args[-1])
        return mix(weights, args[1]), weights

    return variant


def returns_other(score: Score, change: Callable[[Tensor, Tensor, Tensor], Any]) -> Callable[..., Any]:
    """Right weights, but `change(context, weights, memory)` is returned."""

    def variant(*args: Tensor) -> Any:
        context, weights = attends(score)(*args)
        return change(context, weights, args[1])

    return variant


def common(score: Score) -> tuple[Misconception, ...]:
    """Mistakes with the mask, the softmax and what is returned, for either score."""
    masking = (Misconception(slug, title, hint, attends(score, weigh)) for slug, title, hint, weigh in MASKING)
    return (
        *masking,
        Misconception(
            "context-keeps-an-axis",
            "An axis of length one is left",
            "Your context has shape (B, 1, D). The axis of length one was needed for the matrix product; the caller wants (B, D).",
            returns_other(score, lambda context, weights, memory: (context[:, None], weights)),
        ),
        Misconception(
            "all-keep-an-axis",
            "An axis of length one is left",
            "Context and weights come back with an axis of length one in the middle. It was needed for the matrix product; the caller wants (B, D) and (B, S).",
            returns_other(score, lambda context, weights, memory: (context[:, None], weights[:, None])),
        ),
        Misconception(
            "weights-keep-an-axis",
            "An axis of length one is left",
            "Your weights have shape (B, S, 1). The last axis was needed for a product; the caller wants (B, S).",
            returns_other(score, lambda context, weights, memory: (context, weights[..., None])),
        ),
        Misconception(
            "not-added-up",
            "Weighted, but not added up",
            "You weigh every place of the memory and leave it at that: (B, S, D). The context is their sum over the source, one vector per sentence.",
            returns_other(score, lambda context, weights, memory: (weights[..., None] * memory, weights)),
        ),
        Misconception(
            "averaged-again",
            "Averaged a second time",
            "Your context is too small by the length of the source: the weights already sum to one, so the weighted places are added, not averaged.",
            returns_other(score, lambda context, weights, memory: (context / memory.shape[1], weights)),
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return the context alone. The weights are the alignment, which says where the model looked: return both, context first.",
            returns_other(score, lambda context, weights, memory: context),
        ),
        Misconception(
            "scores-returned",
            "Scores in place of the weights",
            "Your context is right, but beside it you return the scores from before the softmax. The alignment is what came out of the softmax.",
            lambda *args: (attends(score)(*args)[0], score(*args[:-1])),
        ),
    )


def changed(change: Callable[[Tensor, Tensor], Any], state: Tensor, memory: Tensor, mask: Tensor) -> Any:
    return change(*ref.luong_context(state, memory, mask))


def _batch_mixed(state: Tensor, memory: Tensor, mask: Tensor) -> Pair:
    weights = masked_softmax(state @ memory.mT, mask)  # (B, B, S)
    return weights @ memory, weights


def _wrong_sum(state: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
    return masked_softmax((state[:, None] * memory).sum(1), mask)


LUONG = Exercise(
    name="luong_context",
    points=4,
    section="Luong: the current state asks",
    reference=ref.luong_context,
    returns=("context (B, D)", "weights (B, S)"),
    cases=luong_cases,
    properties=(rows_sum_to_one(1, zero_rows=True), no_nan()),
    picture=weights_picture(1),
    misconceptions=(
        Misconception(
            "scaled",
            "Scaled by the square root of the size",
            "You divide the scores by √D. That is the Transformer's convention; Luong's dot score has no scale, and the text asks for none.",
            attends(lambda state, memory: dots(state, memory) / math.sqrt(state.shape[-1])),
        ),
        Misconception(
            "divided-by-size",
            "Divided by the size",
            "You take the mean of the products where their sum is asked for: your scores are too small by a factor of D, and the weights too even.",
            attends(lambda state, memory: dots(state, memory) / state.shape[-1]),
        ),
        Misconception(
            "cosine",
            "The cosine instead of the dot product",
            "You normalise the vectors first. Luong's dot score is the plain inner product: a longer vector counts for more.",
            attends(lambda state, memory: cosine_scores(state[:, None], memory)[:, 0]),
        ),
        Misconception(
            "distance",
            "Distance instead of the dot product",
            "You score by distance, as Nadaraya and Watson do. Here the score is the inner product of state and memory.",
            attends(lambda state, memory: -((state[:, None] - memory) ** 2).sum(-1)),
        ),
        Misconception(
            "state-is-averaged",
            "The state is brought back, not the memory",
            "Your context is the state itself: weights that sum to one give it back unchanged. What is brought back are the values, and they come from the source.",
            lambda state, memory, mask: changed(
                lambda context, weights: (state * weights.sum(-1, keepdim=True), weights), state, memory, mask
            ),
        ),
        Misconception(
            "state-added",
            "The state is added to the context",
            "You add the state to the context. The caller joins the two in its own way; asked for is what came from the source alone.",
            lambda state, memory, mask: changed(lambda context, weights: (context + state, weights), state, memory, mask),
        ),
        Misconception(
            "state-joined",
            "The state is joined to the context",
            "You return context and state in one vector of 2D numbers. The caller will do that; asked for is the context alone, (B, D).",
            lambda state, memory, mask: changed(lambda context, weights: (torch.cat([context, state], -1), weights), state, memory, mask),
        ),
        Misconception(
            "batch-mixed",
            "Every state meets every sentence",
            "`state @ memory.mT` pairs each state with each sentence of the batch, and your results have one axis of length B too many. "
            "A state belongs to one sentence: give it an axis of length one before the product.",
            _batch_mixed,
        ),
        Misconception(
            "last-state-only",
            "Only the last place is used",
            "Your context is the last place of the memory, whatever the weights are. That is the single vector that attention was invented to get away from.",
            returns_other(dots, lambda context, weights, memory: (memory[:, -1], weights)),
        ),
        Misconception(
            "summed-over-time",
            "Summed over the source, not over the numbers",
            "Your products are summed over the places of the source: one score per feature comes out. A score belongs to a place, so the sum runs over the numbers of its vector.",
            lambda state, memory, mask: (mix(_wrong_sum(state, memory, mask), memory), _wrong_sum(state, memory, mask)),
        ),
        *common(dots),
    ),
)

# bahdanau_context ----------------------------------------------------------------------------------------------------


def bahdanau_cases(draw: Draw) -> list[Case]:
    b, s, ds, dm, a = draw.sizes(5, low=2, high=8)

    def data(batch: int, steps: int, state: int, memory: int, hidden: int, mask: Tensor | None = None) -> tuple[Tensor, ...]:
        return (
            draw.normal(batch, state),
            draw.normal(batch, steps, memory),
            draw.normal(state, hidden),
            draw.normal(memory, hidden),
            draw.normal(hidden, scale=2.0),
            draw.mask(batch, steps) if mask is None else mask,
        )

    low = list(data(dm, s, ds, b, a))
    low[4] = draw.uniform(a, low=50 / a, high=60 / a)  # the scores lie near -50: v is large and positive,
    low[1] = low[1].abs() + 1  # and the memory pushes
    low[3] = -low[3].abs() - 1  # every hidden unit down to -1
    nothing = draw.mask(b, s)
    nothing[-1] = False
    return [
        Case("2 states of 1, 3 places of 4, 2 hidden units", args=data(2, 3, 1, 4, 2)),  # small enough to be printed
        Case(f"{b} states of {ds}, {s} places of {dm}, {a} hidden units", args=data(b, s, ds, dm, a)),
        Case("states and places of the same size", args=data(b, s, dm, dm, a)),
        Case("as many places as hidden units", args=data(dm, a, ds, b, a)),
        Case("very low scores", args=tuple(low)),
        Case("gradients", args=data(s, b, dm, ds, a), gradients=True),
        Case("nothing is masked", args=data(b, s, ds, dm, a, torch.ones(b, s, dtype=torch.bool)), group="edge"),
        Case("one row has nothing to look at", args=data(b, s, ds, dm, a, nothing), group="edge"),
        Case("a source of one token", args=data(b, 1, ds, dm, a, torch.ones(b, 1, dtype=torch.bool)), group="edge"),
    ]


def additive(state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor, v: Tensor) -> Tensor:
    return additive_scores(state[:, None], memory, w_s, w_h, v)[:, 0]


def hidden_units(state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor) -> Tensor:
    """(B, S, A), before the tanh."""
    return (state @ w_s)[:, None] + memory @ w_h


def _context_of_keys(state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor, v: Tensor, mask: Tensor) -> Pair:
    weights = masked_softmax(additive(state, memory, w_s, w_h, v), mask)
    return mix(weights, memory @ w_h), weights


def _hidden_softmax(state: Tensor, memory: Tensor, w_s: Tensor, w_h: Tensor, v: Tensor) -> Tensor:
    return torch.tanh(hidden_units(state, memory, w_s, w_h)).softmax(-1) @ v


def _reads(tree: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


BAHDANAU = Exercise(
    name="bahdanau_context",
    points=5,
    section="Bahdanau: the previous state asks",
    reference=ref.bahdanau_context,
    returns=("context (B, Dm)", "weights (B, S)"),
    cases=bahdanau_cases,
    properties=(rows_sum_to_one(1, zero_rows=True), no_nan()),
    picture=weights_picture(1),
    misconceptions=(
        Misconception(
            "no-tanh",
            "Without the tanh the state has no say",
            "You leave out the tanh. Then the state adds the same number to the score of every place, softmax cancels it, and the decoder looks at the same places at every step.",
            attends(lambda state, memory, w_s, w_h, v: hidden_units(state, memory, w_s, w_h) @ v),
        ),
        Misconception(
            "tanh-on-the-score",
            "tanh on the score instead of the hidden units",
            "You take tanh of the finished score. All scores then lie between -1 and 1, so no place can stand out, and inside, where state and memory meet, there is nothing nonlinear left.",
            attends(lambda state, memory, w_s, w_h, v: torch.tanh(hidden_units(state, memory, w_s, w_h) @ v)),
        ),
        Misconception(
            "tanh-twice",
            "tanh twice",
            "You take tanh of the hidden units and again of the score. With scores between -1 and 1 no place can stand out.",
            attends(lambda *args: torch.tanh(additive(*args))),
        ),
        Misconception(
            "tanh-before-adding",
            "tanh of each part on its own",
            "You take tanh of the state's part and of the memory's part before you add them. The state then adds the same number to every place again, and softmax cancels it: first add, then tanh.",
            attends(lambda state, memory, w_s, w_h, v: (torch.tanh(state @ w_s)[:, None] + torch.tanh(memory @ w_h)) @ v),
        ),
        Misconception(
            "relu",
            "relu instead of tanh",
            "You use relu. Whatever is negative scores 0, and places tie. Bahdanau's score uses tanh.",
            attends(lambda state, memory, w_s, w_h, v: hidden_units(state, memory, w_s, w_h).relu() @ v),
        ),
        Misconception(
            "relu-on-the-score",
            "relu on the score",
            "You cut off negative scores. All places below 0 tie then, and no gradient reaches them. The softmax takes scores of either sign.",
            attends(lambda *args: additive(*args).relu()),
        ),
        Misconception(
            "sigmoid",
            "sigmoid instead of tanh",
            "You use a sigmoid. It lies between 0 and 1, so it is another score than the one of the text, which uses tanh.",
            attends(lambda state, memory, w_s, w_h, v: hidden_units(state, memory, w_s, w_h).sigmoid() @ v),
        ),
        Misconception(
            "multiplied",
            "Multiplied instead of added",
            "You multiply the two projections. That is a multiplicative score; here they are added before the tanh, hence the name additive.",
            attends(lambda state, memory, w_s, w_h, v: torch.tanh((state @ w_s)[:, None] * (memory @ w_h)) @ v),
        ),
        Misconception(
            "state-ignored",
            "The state is not used",
            "Your scores depend on the memory alone, so the decoder looks at the same places at every step. The state is the question.",
            attends(lambda state, memory, w_s, w_h, v: torch.tanh(memory @ w_h) @ v),
            syntax=lambda tree: not _reads(tree, "w_s"),
        ),
        Misconception(
            "v-ignored",
            "v is not used",
            "You add up the hidden units. Each has a weight of its own in `v`, and it is learned which of them matter.",
            attends(lambda state, memory, w_s, w_h, v: torch.tanh(hidden_units(state, memory, w_s, w_h)).sum(-1)),
        ),
        Misconception(
            "matrices-swapped",
            "The two matrices are swapped",
            "You project the state with the memory's matrix and the memory with the state's. It runs only where both have the same size.",
            attends(lambda state, memory, w_s, w_h, v: additive(state, memory, w_h, w_s, v)),
        ),
        Misconception(
            "one-matrix",
            "One matrix for both",
            "You project state and memory with the same matrix. They come from different networks and may have different sizes: each has a matrix of its own.",
            attends(lambda state, memory, w_s, w_h, v: additive(state, memory, w_s, w_s, v)),
        ),
        Misconception(
            "context-of-keys",
            "The projected memory is averaged",
            "Your weights are right, but you average what was projected for the score. `w_h` makes keys; the values are the memory itself, and the context has its size.",
            _context_of_keys,
        ),
        Misconception(
            "softmax-over-hidden",
            "Softmax over the hidden units",
            "You normalise over the hidden units before `v`. The softmax belongs to the finished scores and runs over the places.",
            attends(_hidden_softmax),
        ),
        Misconception(
            "scaled",
            "Scaled by a square root",
            "You divide the scores by a square root. The additive score has no scale: tanh keeps the hidden units small already.",
            attends(lambda state, memory, w_s, w_h, v: additive(state, memory, w_s, w_h, v) / math.sqrt(len(v))),
        ),
        *common(additive),
    ),
)

# exact_match ---------------------------------------------------------------------------------------------------------


def match_case(draw: Draw, label: str, steps: int, pad: int, rows: str, group: str = "basic") -> Case:
    """One row per letter: s same and not padded, b beyond the end differs, o one token wrong, l last token wrong, p pad too early, w all wrong, e empty target,
    n no difference in a padded row."""
    target = pad + draw.integers(1, 9, len(rows), steps)
    predicted = target.clone()
    for row, kind in enumerate(rows):
        length = steps if kind == "s" else draw.integer(2, steps - 1)
        target[row, length:] = predicted[row, length:] = pad
        if kind == "b":
            predicted[row, length:] = pad + draw.integers(1, 9, steps - length)
        elif kind == "o":
            predicted[row, draw.integer(0, length - 2)] += 20
        elif kind == "l":
            predicted[row, length - 1] += 20
        elif kind == "p":
            predicted[row, length - 1 :] = pad
        elif kind == "w":
            predicted[row, :length] += 30
        elif kind == "e":
            target[row] = pad
    return Case(label, args=(predicted, target, pad), group=group)


def match_cases(draw: Draw) -> list[Case]:
    t, u, v = draw.sizes(3, low=4, high=9)
    return [
        match_case(draw, "some right, some wrong", t, 0, "sowsln"),
        match_case(draw, "one of them differs only where the target is padded", u, 0, "sbobn"),
        match_case(draw, "another pad", v, draw.integer(3, 8), "bswbnsol"),
        match_case(draw, "stopped too early", t, 0, "pspps"),
        match_case(draw, "all right", u, 0, "ssbn", "edge"),
        match_case(draw, "all wrong", v, 0, "ollw", "edge"),
        match_case(draw, "a target of nothing but padding", t, 0, "oeo", "edge"),
        match_case(draw, "one sentence", u, 0, "b", "edge"),
    ]


def _right(predicted: Tensor, target: Tensor, pad: int) -> Tensor:
    return (predicted == target) | (target == pad)


def _token_accuracy(predicted: Tensor, target: Tensor, pad: int) -> Tensor:
    return (predicted == target)[target != pad].float().mean()


def _mean_accuracy(predicted: Tensor, target: Tensor, pad: int) -> Tensor:
    real = target != pad
    return (((predicted == target) & real).sum(1) / real.sum(1)).mean()


MATCH = Exercise(
    name="exact_match",
    points=3,
    section="Exact match: all or nothing",
    reference=ref.exact_match,
    returns=("a share between 0 and 1",),
    cases=match_cases,
    misconceptions=(
        Misconception(
            "token-accuracy",
            "The share of tokens, not of sentences",
            "You count right tokens. A date with nine right characters out of ten is a wrong date: a sentence counts only if all of its tokens are right.",
            _token_accuracy,
        ),
        Misconception(
            "token-accuracy-with-padding",
            "The share of all positions",
            "You count right positions, padding included. A sentence counts only if all of its tokens are right, and padding is not one of them.",
            lambda predicted, target, pad: (predicted == target).float().mean(),
        ),
        Misconception(
            "token-accuracy-padding-free",
            "The share of positions, padding counted as right",
            "You average over positions, where padding is always right. Asked for is a share of sentences: combine the positions of a sentence first, then average.",
            lambda predicted, target, pad: _right(predicted, target, pad).float().mean(),
        ),
        Misconception(
            "mean-accuracy",
            "The mean of the sentences' accuracies",
            "You give a sentence a part of the point for every right token. Exact match knows only all or nothing.",
            _mean_accuracy,
        ),
        Misconception(
            "padding-compared",
            "Padding is compared too",
            "You ask for equality at every position. What a model writes after the end of the target does not matter: positions where the target is pad are always right.",
            lambda predicted, target, pad: (predicted == target).all(1).float().mean(),
        ),
        Misconception(
            "prediction-decides",
            "The prediction decides what counts",
            "You leave out the positions where the *prediction* is pad. A model that writes nothing at all would be always right. Which positions count is for the target to say.",
            lambda predicted, target, pad: ((predicted == target) | (predicted == pad)).all(1).float().mean(),
        ),
        Misconception(
            "either-decides",
            "A pad in either counts as right",
            "You leave out a position if either of the two is pad. A model that stops too early would be forgiven the rest of the sentence: only the target may say what counts.",
            lambda predicted, target, pad: (_right(predicted, target, pad) | (predicted == pad)).all(1).float().mean(),
        ),
        Misconception(
            "any-token",
            "One right token is enough",
            "You take a sentence for right as soon as any of its tokens is. `any` and `all` are easily confused; which one is it here?",
            lambda predicted, target, pad: _right(predicted, target, pad).any(1).float().mean(),
        ),
        Misconception(
            "any-real-token",
            "One right token is enough",
            "You take a sentence for right as soon as any of its real tokens is. `any` and `all` are easily confused; which one is it here?",
            lambda predicted, target, pad: ((predicted == target) & (target != pad)).any(1).float().mean(),
        ),
        Misconception(
            "padding-is-wrong",
            "Padding counts as wrong",
            "You want every position to be right *and* real. A padded sentence can never be right then, however good the prediction is.",
            lambda predicted, target, pad: ((predicted == target) & (target != pad)).all(1).float().mean(),
        ),
        Misconception(
            "wrong-axis",
            "Positions instead of sentences",
            "You combine along the batch: the result is the share of *positions* at which all sentences are right. Combine along the tokens of one sentence.",
            lambda predicted, target, pad: _right(predicted, target, pad).all(0).float().mean(),
        ),
        Misconception(
            "all-or-nothing-for-the-batch",
            "The whole batch or nothing",
            "You combine all positions of all sentences at once: one mistake anywhere makes the result 0. Combine per sentence.",
            lambda predicted, target, pad: _right(predicted, target, pad).all().float(),
        ),
        Misconception(
            "pad-is-not-always-0",
            "pad is not always 0",
            "You treat 0 as padding whatever `pad` is. Use the argument.",
            lambda predicted, target, pad: ref.exact_match(predicted, target, 0),
        ),
        Misconception(
            "counted",
            "A number of sentences, not a share",
            "You return how many sentences are right. Asked for is their share, between 0 and 1.",
            lambda predicted, target, pad: _right(predicted, target, pad).all(1).sum(),
        ),
        Misconception(
            "one-per-sentence",
            "One answer per sentence",
            "You return True or False for every sentence. Asked for is one number: the share of the right ones.",
            lambda predicted, target, pad: _right(predicted, target, pad).all(1),
        ),
        Misconception(
            "error-rate",
            "The share of the wrong ones",
            "You return the share of sentences that are wrong: 1 minus what is asked for.",
            lambda predicted, target, pad: 1 - ref.exact_match(predicted, target, pad),
        ),
        Misconception(
            "mean-of-truth-values",
            "Truth values have no mean",
            "torch takes the mean of decimal numbers only, and you ask for the mean of True and False. Convert them first.",
            lambda predicted, target, pad: _right(predicted, target, pad).all(1).mean(),
            syntax=lambda tree: syntax.uses(tree, "mean") and not syntax.uses(tree, "float", "double", "to", "type", "dtype"),
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_ALIGNMENT = Choice(
    name="slide_alignment",
    points=2,
    section="Reading an alignment matrix",
    right="c",
    options={
        "a": Option(
            "Nothing: it is bright where *Area* meets *la* and *zone*, so those two are what the model looked at when it wrote *Area*.",
            "The bright place is there, but it has two sides. Which of the two words did the model write, and which did it read? The axes say so.",
            "trusts-the-slide",
        ),
        "b": Option(
            "The number of words. While one word is written only one can be looked at: softmax picks the largest score.",
            "Softmax shares the weight out; two bright places in a row are common, for instance where two words are translated together.",
            "softmax-picks-one",
        ),
        "c": Option(
            "The direction. English was read and French was written: the rows of *la* and *zone* say that *Area* was looked at.",
            "Right. A row belongs to what is being written (the query), a column to what can be read (the keys). And since two sequences are involved, it is attention between encoder and decoder, not self-attention.",
        ),
        "d": Option(
            "The order. English and French have the same word order, so everything off the diagonal is noise.",
            "*European Economic Area* is *zone économique européenne*: the bright places run backwards there because the languages do. That the model found this is the point of the figure.",
            "off-diagonal-is-noise",
        ),
    },
)

SLIDE_WHO_ASKS = Choice(
    name="slide_who_asks",
    points=2,
    section="Who asks, who answers",
    right="b",
    options={
        "a": Option(
            "Nothing: values come from the source, keys from what has been generated.",
            "Keys and values are two sides of the same entry: weight i multiplies value i. With keys from one sequence and values from another their numbers do not even agree.",
            "trusts-the-slide",
        ),
        "b": Option(
            "The generated words give the queries; the source gives both keys and values.",
            "Right. One answer per query, so one per generated word; and every place of the source has a key by which it is found and a value that is brought back.",
        ),
        "c": Option(
            "The source gives the queries; the generated words give keys and values.",
            "Then there would be one result per source word, made of words that are already written: nothing would be learned about the source.",
            "source-asks",
        ),
        "d": Option(
            "The source gives queries and keys; the generated words give the values.",
            "Then the weights compare the source with itself, and what is brought back is what the decoder wrote. The question must come from whoever needs the answer.",
            "source-asks-itself",
        ),
    },
)

SLIDE_TWO_BUGS = Choice(
    name="slide_two_bugs",
    points=2,
    section="Two bugs that hide one another",
    right="d",
    options={
        "a": Option(
            "Nothing: 200,000 weights in the embedding are exactly 2000 words times 100 numbers.",
            "100 times 2000 is 200,000 too. A product does not know the order of its factors, so the number of parameters cannot show whether the arguments are in the right order.",
            "trusts-the-count",
        ),
        "b": Option(
            "Only the reshape is wrong: without it the LSTM would get one vector per word, as it should.",
            "Without it, the LSTM gets vectors of 2000 numbers where it was built for 100, and raises an error: the reshape hides that the embedding makes vectors of the wrong size.",
            "only-the-reshape",
        ),
        "c": Option(
            "The embedding's arguments are swapped and the reshape has nothing to do with it: torch reports the mistake as soon as a text comes in.",
            "It reports nothing as long as all ids are below 100: the table has 100 rows of 2000 numbers, and the reshape makes the sizes fit again.",
            "expects-an-error",
        ),
        "d": Option(
            "The embedding's arguments are swapped, and the reshape hides it: every word becomes 20 pieces of 100 numbers, which the LSTM reads as 20 words.",
            "Right. Shapes and parameter count look as they should, and the program learns something. What shows it is a look at the length of the sequence after the reshape.",
        ),
    },
)

UNIT = Unit(
    name="04_seq2seq_attention",
    title="Sequence to sequence with attention",
    exercises=(SHIFT, LOSS, MATCH, LUONG, BAHDANAU, SLIDE_ALIGNMENT, SLIDE_WHO_ASKS, SLIDE_TWO_BUGS),
)
