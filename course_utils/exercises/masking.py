"""Unit 03: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import masking as ref
from course_utils import syntax
from course_utils.exercise import Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Property, Unit
from course_utils.pictures import weights_picture
from course_utils.play import Outcome
from course_utils.properties import no_nan, rows_sum_to_one
from course_utils.toys import Toy

Pair = tuple[Tensor, Tensor]

# padding_mask --------------------------------------------------------------------------------------------------------


def padding_cases(draw: Draw) -> list[Case]:
    b, n = draw.sizes(2, low=3, high=8)
    mixed = torch.cat([torch.tensor([n]), draw.integers(1, n - 1, b - 1)])[draw.permutation(b)]
    return [
        Case(f"{b} sentences, {n} places", args=(mixed, n)),
        Case("all shorter than the longest place", args=(draw.integers(1, n - 1, b), n + 2)),
        Case("as many sentences as places", args=(torch.cat([torch.tensor([2]), draw.integers(1, n, n - 1)]), n)),
        Case("an empty sentence", args=(torch.tensor([2, 0, n]), n), group="edge"),
        Case("one sentence", args=(torch.tensor([n - 1]), n), group="edge"),
        Case("one place", args=(torch.tensor([1, 0, 1]), 1), group="edge"),
    ]


def _additive(mask: Tensor) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


NOT_BOOLEAN = "Your mask holds numbers. Masks in this course are boolean: then `~mask` and `masked_fill` work, and nobody can mistake a 1 for a weight."
ADDITIVE_MASK = (
    "You return a mask of 0 and -inf, to be added to scores (as torch's `generate_square_subsequent_mask` does). Here a mask is boolean: "
    "True where attention is allowed."
)

PADDING = Exercise(
    name="padding_mask",
    points=2,
    section="Padding",
    reference=ref.padding_mask,
    returns=("the mask (B, max_len)",),
    cases=padding_cases,
    picture=weights_picture(0),
    misconceptions=(
        Misconception(
            "one-too-many",
            "One place too many",
            "Each of your rows has one True more than the sentence has words: the first place of padding counts as a word. A sentence of "
            "length 3 has the places 0, 1 and 2.",
            lambda lengths, max_len: torch.arange(max_len) <= lengths[:, None],
        ),
        Misconception(
            "one-too-few",
            "One place too few",
            "The last word of each sentence is taken for padding. Places count from 0.",
            lambda lengths, max_len: torch.arange(1, max_len + 1) < lengths[:, None],
        ),
        Misconception(
            "inverted",
            "True and False swapped",
            "You mark the padding with True. In this course True means *may attend*; torch's `key_padding_mask` has it the other way "
            "round, which is why it must be said each time.",
            lambda lengths, max_len: ~ref.padding_mask(lengths, max_len),
        ),
        Misconception(
            "not-boolean",
            "Numbers instead of truth values",
            NOT_BOOLEAN,
            lambda lengths, max_len: ref.padding_mask(lengths, max_len).float(),
        ),
        Misconception(
            "not-boolean", "Numbers instead of truth values", NOT_BOOLEAN, lambda lengths, max_len: ref.padding_mask(lengths, max_len).int()
        ),
        Misconception(
            "additive-mask", "A mask to be added", ADDITIVE_MASK, lambda lengths, max_len: _additive(ref.padding_mask(lengths, max_len))
        ),
        Misconception(
            "length-from-the-batch",
            "As long as the longest sentence",
            "Your mask is as wide as the longest sentence of this batch. The tensor that it belongs to may be wider: use `max_len`.",
            lambda lengths, max_len: ref.padding_mask(lengths, int(lengths.max())),
        ),
        Misconception(
            "padded-on-the-left",
            "The words stand at the end",
            "Your True values stand at the end of each row, as if the padding came first. Here sentences begin at place 0.",
            lambda lengths, max_len: ref.padding_mask(lengths, max_len).flip(1),
        ),
        Misconception(
            "transposed",
            "Rows and columns swapped",
            "Your mask is (max_len, B). One row belongs to one sentence.",
            lambda lengths, max_len: ref.padding_mask(lengths, max_len).T,
        ),
        Misconception(
            "one-length-for-all",
            "One length for the whole batch",
            "All your rows are alike. Each sentence has a length of its own.",
            lambda lengths, max_len: ref.padding_mask(lengths.max().expand(len(lengths)), max_len),
        ),
        Misconception(
            "one-length-for-all",
            "One length for the whole batch",
            "All your rows are alike. Each sentence has a length of its own.",
            lambda lengths, max_len: ref.padding_mask(lengths[:1].expand(len(lengths)), max_len),
        ),
        Misconception(
            "extra-axis",
            "An axis too many",
            "Your mask has a third axis. It will need one when it meets scores of shape (B, T, S); here the plain (B, max_len) is "
            "asked for.",
            lambda lengths, max_len: ref.padding_mask(lengths, max_len)[:, None, :],
        ),
    ),
)

# causal_mask ---------------------------------------------------------------------------------------------------------


def causal_cases(draw: Draw) -> list[Case]:
    a, b = draw.sizes(2, low=3, high=9)
    return [
        Case(f"{a} steps", args=(a,)),
        Case(f"{b} steps", args=(b,)),
        Case("two steps", args=(2,), group="edge"),
        Case("one step", args=(1,), group="edge"),
    ]


CAUSAL = Exercise(
    name="causal_mask",
    points=2,
    section="The causal mask",
    reference=ref.causal_mask,
    returns=("the mask (T, T)",),
    cases=causal_cases,
    picture=weights_picture(0),
    misconceptions=(
        Misconception(
            "strict-mask",
            "A step may not look at itself",
            "Your diagonal is False: a step sees only what came *before* it. The first step is left with nothing at all, and softmax "
            "of nothing is NaN. Its own input is known to a step.",
            lambda length: ref.causal_mask(length).tril(-1),
        ),
        Misconception(
            "leaks-one-step",
            "One step of the future is visible",
            "Your mask also allows the next step (diagonal=1). In a language model that is exactly the answer: the model will copy it.",
            lambda length: torch.ones(length, length, dtype=torch.bool).tril(1),
        ),
        Misconception(
            "sees-only-the-future",
            "The upper triangle",
            "Your rows allow the present and the *future*. Row t is the step that looks, columns are the steps that are looked at: "
            "which of them lie in the past?",
            lambda length: ref.causal_mask(length).T,
        ),
        Misconception(
            "inverted",
            "True and False swapped",
            "You mark what is forbidden with True. That is what `nn.MultiheadAttention` wants; in this course, as in "
            "`F.scaled_dot_product_attention`, True means *may attend*.",
            lambda length: ~ref.causal_mask(length),
        ),
        Misconception(
            "nothing-masked",
            "Nothing is forbidden",
            "Your mask allows everything: every step sees the whole future.",
            lambda length: torch.ones(length, length, dtype=torch.bool),
        ),
        Misconception(
            "mirrored",
            "The wrong diagonal",
            "Your triangle leans on the other diagonal: the last step sees all but the first also sees the last. Check row 0: it may "
            "look at column 0 only.",
            lambda length: ref.causal_mask(length).flip(1),
        ),
        Misconception(
            "mirrored",
            "The wrong diagonal",
            "Your triangle stands on its head: row 0 sees everything. Row 0 may look at column 0 only, the last row at all columns.",
            lambda length: ref.causal_mask(length).flip(0),
        ),
        Misconception(
            "only-itself",
            "Only the diagonal",
            "Each step sees itself alone. It may also look at everything before it.",
            lambda length: torch.eye(length, dtype=torch.bool),
        ),
        Misconception("not-boolean", "Numbers instead of truth values", NOT_BOOLEAN, lambda length: ref.causal_mask(length).float()),
        Misconception("not-boolean", "Numbers instead of truth values", NOT_BOOLEAN, lambda length: ref.causal_mask(length).int()),
        Misconception("additive-mask", "A mask to be added", ADDITIVE_MASK, lambda length: _additive(ref.causal_mask(length))),
        Misconception(
            "extra-axis",
            "An axis too many",
            "Your mask has a leading axis. Asked for is (T, T): broadcasting adds the axes of batch and heads by itself.",
            lambda length: ref.causal_mask(length)[None],
        ),
    ),
)

# masked_softmax ------------------------------------------------------------------------------------------------------


def softmax_cases(draw: Draw) -> list[Case]:
    b, h, t, s = draw.sizes(4, low=3, high=7)
    loud = draw.normal(t, s)
    hidden = draw.mask(t, s)
    loud = torch.where(hidden, loud, loud + 200)  # what is masked scores highest by far
    empty = draw.mask(b, t, s)
    empty[0, 1], empty[b - 1, t - 1] = False, False
    return [
        Case(f"{t} queries, {s} keys", args=(draw.normal(t, s), draw.mask(t, s))),
        Case("valid scores near -50", args=(draw.normal(t, s) - 50, draw.mask(t, s))),
        Case("one mask for the whole batch", args=(draw.normal(b, h, t, s), draw.mask(t, s))),
        Case("padding: one mask for all queries of a sentence", args=(draw.normal(b, t, s), draw.mask(b, 1, s))),
        Case("as many queries as keys", args=(draw.normal(b, s, s), draw.mask(s, s))),
        Case("gradients", args=(draw.normal(b, t, s), draw.mask(b, t, s)), gradients=True),
        Case("nothing masked", args=(draw.normal(t, s), torch.ones(t, s, dtype=torch.bool)), group="edge"),
        Case("two rows with nothing to attend to", args=(draw.normal(b, t, s), empty), group="edge"),
        Case("nothing to attend to at all", args=(draw.normal(2, s), torch.zeros(2, s, dtype=torch.bool)), group="edge"),
        Case("valid scores near -300", args=(draw.normal(t, s) - 300, draw.mask(t, s)), group="edge"),
        Case("valid scores near +300", args=(draw.normal(t, s) + 300, draw.mask(t, s)), group="edge"),
        Case("what is masked scores highest by far", args=(loud, hidden), group="edge"),
    ]


def filled(value: float) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda scores, mask: scores.masked_fill(~mask, value).softmax(-1)


def _zeroed_after(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.softmax(-1) * mask


def _renormalised(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True)


def _renormalised_safely(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.softmax(-1) * mask
    return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)


def _unstable(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.exp() * mask
    return (weights / weights.sum(-1, keepdim=True)).nan_to_num(0.0)


def _exponentials_shared(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.exp() * mask
    return weights / weights.sum(-1, keepdim=True)


def _unstable_filled(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.masked_fill(~mask, -torch.inf).exp()
    return (weights / weights.sum(-1, keepdim=True)).nan_to_num(0.0)


def _epsilon_in_the_sum(tree: ast.AST) -> bool:
    """A tiny number beside exponentials from which no maximum was subtracted."""
    tiny = any(isinstance(n, ast.Constant) and isinstance(n.value, float) and 0 < n.value < 1e-3 for n in ast.walk(tree))
    return tiny and bool(syntax.calls(tree, "exp")) and not syntax.uses(tree, "max", "amax", "logsumexp")


def _times_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + (~mask).to(scores.dtype) * -torch.inf).softmax(-1)


def _turned(scores: Tensor, mask: Tensor) -> Tensor:
    return ref.masked_softmax(scores, mask.mT)


def _rows_off(scores: Tensor, mask: Tensor) -> Tensor:
    """Whole queries are switched off where one of their keys is."""
    return scores.softmax(-1) * mask.all(-1, keepdim=True)


ZERO_SCORE = (
    "You set masked scores to 0. But exp(0) = 1: a score of 0 is an ordinary score, and where the valid ones are negative even the "
    "best. Which score has the exponential 0?"
)
LOW_FILL = (
    "Your fill is low, but not low enough: scores can be lower. Where all valid scores are near -50, a masked -10 wins. Nothing that "
    "is filled in may ever compete."
)

MASKED_SOFTMAX = Exercise(
    name="masked_softmax",
    points=4,
    section="Minus infinity, not zero",
    reference=ref.masked_softmax,
    returns=("weights (..., T, S)",),
    cases=softmax_cases,
    properties=(rows_sum_to_one(0, zero_rows=True), no_nan()),
    picture=weights_picture(0),
    misconceptions=(
        Misconception("zero-score", "A score of 0 is not no weight", ZERO_SCORE, lambda scores, mask: (scores * mask).softmax(-1)),
        Misconception(
            "sign-lost",
            "A tiny positive number",
            "You fill with 1e-9 (a lost minus of -1e9?). That is a score of practically 0, whose exponential is 1: nothing has been "
            "masked.",
            filled(1e-9),
            syntax=lambda tree: any(
                isinstance(n, ast.Constant) and isinstance(n.value, float) and 0 < n.value < 1e-3 for n in ast.walk(tree)
            ),
        ),
        Misconception("fill-not-low-enough", "The fill is not low enough", LOW_FILL, filled(-10.0)),
        Misconception("fill-not-low-enough", "The fill is not low enough", LOW_FILL, filled(-100.0)),
        Misconception(
            "not-renormalised",
            "The other weights no longer sum to one",
            "You set weights to 0 after the softmax. What they had is missing now: your rows sum to less than one. The masked keys "
            "must be out of the competition *before* it starts.",
            _zeroed_after,
        ),
        Misconception(
            "renormalised-after",
            "0 divided by 0",
            "Removing weights after the softmax and dividing by what is left is right on paper. But where the masked keys had all the "
            "weight, or nothing may be attended to, 0 / 0 is NaN.",
            _renormalised,
        ),
        Misconception(
            "renormalised-after",
            "Too little is left to divide",
            "Removing weights after the softmax and dividing by what is left is right on paper. But where a masked key scored far "
            "higher than all others, these have rounded to 0, and no division brings them back.",
            _renormalised_safely,
        ),
        Misconception(
            "inverted",
            "True and False swapped",
            "You mask where the mask is True. Here True means *may attend* (in `nn.MultiheadAttention` it is the other way round).",
            lambda scores, mask: ref.masked_softmax(scores, ~mask),
        ),
        Misconception(
            "inverted",
            "True and False swapped, and NaN",
            "You mask where the mask is True. Here True means *may attend* (in `nn.MultiheadAttention` it is the other way round). "
            "Rows with nothing left give NaN on top.",
            lambda scores, mask: scores.masked_fill(mask, -torch.inf).softmax(-1),
        ),
        Misconception(
            "zero-times-infinity",
            "0 times infinity",
            "You multiply a mask of zeros and ones by -inf. Where the mask is 0 that is 0 · inf = NaN, and one NaN spoils its row. "
            "Fill in, do not multiply.",
            _times_infinity,
        ),
        Misconception(
            "mask-ignored",
            "The mask has no effect",
            "Your weights do not depend on the mask. Did you call `masked_fill` without keeping what it returns? It gives a new "
            "tensor (the one with an underscore works in place).",
            lambda scores, mask: scores.softmax(-1),
        ),
        Misconception(
            "empty-row-nan",
            "A row with nothing to attend to gives NaN",
            "Where a whole row is masked, all scores are -inf, and softmax divides 0 by 0. The text says what such a row must be. One "
            "NaN is enough to spoil every weight of a network in the next step.",
            filled(-torch.inf),
        ),
        Misconception(
            "empty-row-uniform",
            "A row with nothing to attend to attends to everything",
            "With a large negative number in place of every score, softmax shares out equally: the row attends to everything that was "
            "forbidden. The text asks for zeros; the lecture has a section on such rows.",
            filled(-1e9),
        ),
        Misconception(
            "masks-queries",
            "Queries are masked instead of keys",
            "You apply the mask to the wrong axis: rows are queries, columns are keys. A padded word must disappear as a *column*.",
            _turned,
        ),
        Misconception(
            "overflow",
            "exp overflows",
            "For scores of several hundred your exponentials are infinite (or all 0). Subtract the maximum of the valid scores first, "
            "or let softmax do it.",
            _unstable,
        ),
        Misconception(
            "overflow",
            "exp overflows",
            "For scores of several hundred your exponentials are infinite (or all 0). Subtract the maximum of the valid scores first, "
            "or let softmax do it.",
            _unstable_filled,
        ),
        Misconception(
            "nothing-to-share",
            "0 divided by 0",
            "Exponentials times the mask, divided by their sum: right for ordinary rows. But a row without any True has the sum 0, and 0 / 0 is "
            "NaN; and for scores of several hundred the exponentials themselves are infinite or 0. The text says what an empty row must be, and "
            "subtracting the same number from all scores of a row changes nothing in its weights.",
            _exponentials_shared,
        ),
        Misconception(
            "epsilon-in-the-sum",
            "An epsilon larger than the sum",
            "You keep the sum from being 0 by a small number. But where all valid scores are near -50, the sum itself is about 1e-21: your "
            "small number is by far the larger part of it, and the weights vanish. Make the sum large instead, by subtracting the largest score of "
            "each row before `exp`.",
            syntax=_epsilon_in_the_sum,
        ),
        Misconception(
            "softmax-over-queries",
            "Softmax over the queries",
            "Your columns sum to one. The keys compete for a query: softmax runs along the last axis.",
            lambda scores, mask: scores.masked_fill(~mask, -torch.inf).softmax(-2).nan_to_num(0.0),
        ),
        Misconception(
            "scores-returned",
            "Scores instead of weights",
            "You return the masked scores. The softmax is missing.",
            lambda scores, mask: scores.masked_fill(~mask, -torch.inf),
        ),
        Misconception(
            "mask-added",
            "The mask is added",
            "You add the mask to the scores: True counts as 1 and False as 0, which moves scores by one but forbids nothing.",
            lambda scores, mask: (scores + mask).softmax(-1),
        ),
    ),
)

# masked_attention ----------------------------------------------------------------------------------------------------


def attention_cases(draw: Draw) -> list[Case]:
    b, h, t, s, d, dv = draw.sizes(6, low=2, high=8)

    def data(*leading: int, t: int = t, s: int = s) -> tuple[Tensor, Tensor, Tensor]:
        return draw.normal(*leading, t, d), draw.normal(*leading, s, d), draw.normal(*leading, s, dv)

    def low(*leading: int) -> tuple[Tensor, Tensor, Tensor]:
        """Queries and keys that point away from each other: scores near -50."""
        query, key, value = data(*leading)
        away = math.sqrt(50 / math.sqrt(d))
        return query * 0.3 + away, key * 0.3 - away, value

    def far_apart(sign: float) -> tuple[Tensor, Tensor, Tensor]:
        """Scores that lie 120 apart, all of one sign: softmax picks one key, so that rounding cannot matter."""
        direction = torch.nn.functional.normalize(draw.normal(d), dim=0)
        lengths = 120.0 * math.sqrt(d) * (draw.permutation(s) + 1)
        return sign * direction.expand(b, t, d), (lengths[:, None] * direction).expand(b, s, d), draw.normal(b, s, dv)

    empty = draw.mask(b, t, s)
    empty[0, 0], empty[b - 1] = False, False
    return [
        Case("no mask", args=data(b)),
        Case(f"{t} queries, {s} keys", args=(*data(), draw.mask(t, s))),
        Case("valid scores near -50", args=(*low(b), draw.mask(b, t, s))),
        Case("causal self-attention", args=(*data(b, t=s), ref.causal_mask(s))),
        Case("padding: one mask for all queries of a sentence", args=data(b), kwargs={"mask": draw.mask(b, 1, s)}),
        Case("a batch with heads", args=(*data(b, h), draw.mask(b, 1, t, s))),
        Case("gradients", args=(*data(b), draw.mask(b, t, s)), gradients=True),
        Case("a query, then a sentence, with nothing to attend to", args=(*data(b), empty), group="edge"),
        Case("scores below -100, far apart", args=(*far_apart(-1.0), draw.mask(b, t, s)), group="edge"),
        Case("scores above 100, far apart", args=(*far_apart(1.0), draw.mask(b, t, s)), group="edge"),
        Case("everything allowed", args=(*data(b), torch.ones(t, s, dtype=torch.bool)), group="edge"),
        Case("one key", args=(*data(b, s=1), torch.ones(b, t, 1, dtype=torch.bool)), group="edge"),
    ]


def dots(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT / math.sqrt(key.shape[-1])


def weighing(softmax: Callable[[Tensor, Tensor], Tensor], scores: Callable[[Tensor, Tensor], Tensor] = dots) -> Callable[..., Pair]:
    """Attention with another masked softmax or other scores, as a variant."""

    def variant(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
        raw = scores(query, key)
        weights = raw.softmax(-1) if mask is None else softmax(raw, mask)
        return weights @ value, weights

    return variant


def _outside(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    weights = weighing(ref.masked_softmax, lambda q, k: q @ k.mT)(query, key, value, mask)[1] / math.sqrt(key.shape[-1])
    return weights @ value, weights


def _masks_values(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    weights = dots(query, key).softmax(-1)
    return (weights if mask is None else weights * mask) @ value, weights


def _output_masked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    """The right output; the weights that are returned do not show the mask."""
    return ref.masked_attention(query, key, value, mask)[0], dots(query, key).softmax(-1)


def _needs_mask(query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Pair:
    weights = ref.masked_softmax(dots(query, key), ~~mask)  # TypeError without a mask
    return weights @ value, weights


def _always_causal(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Pair:
    causal = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    return ref.masked_attention(query, key, value, causal if mask is None else causal & mask)


def from_softmax(slug: str) -> list[Misconception]:
    """The misconceptions of this name about masked_softmax, as ones about attention."""
    known = [m for m in MASKED_SOFTMAX.misconceptions if m.slug == slug and m.variant is not None]
    return [Misconception(m.slug, m.title, m.hint, weighing(m.variant)) for m in known if m.variant is not None]


MASKED_ATTENTION = Exercise(
    name="masked_attention",
    points=4,
    section="Attention with a mask",
    reference=ref.masked_attention,
    returns=("output (..., T, Dv)", "weights (..., T, S)"),
    cases=attention_cases,
    properties=(rows_sum_to_one(1, zero_rows=True), no_nan()),
    picture=weights_picture(1),
    tolerance=3e-5,
    forbidden=(
        Forbidden(
            "Here you write attention yourself: torch's scaled_dot_product_attention and MultiheadAttention are not allowed.",
            names=("scaled_dot_product_attention", "MultiheadAttention", "multi_head_attention_forward", "flex_attention"),
        ),
    ),
    misconceptions=(
        Misconception(
            "mask-ignored",
            "The mask has no effect",
            "Your result does not depend on the mask. Is it used at all, and is what `masked_fill` returns kept? (It gives a new tensor.)",
            weighing(lambda scores, mask: scores.softmax(-1)),
        ),
        *(
            m
            for slug in ("inverted", "zero-score", "fill-not-low-enough", "not-renormalised", "renormalised-after", "empty-row-nan")
            for m in from_softmax(slug)
        ),
        *(
            m
            for slug in ("empty-row-uniform", "zero-times-infinity", "masks-queries", "softmax-over-queries", "mask-added")
            for m in from_softmax(slug)
        ),
        Misconception(
            "masks-values",
            "The values are masked, not the scores",
            "You take the masked keys out of the weighted sum, but not out of the softmax: what they had is missing, and the weights "
            "that you return still show them.",
            _masks_values,
        ),
        Misconception(
            "weights-before-the-mask",
            "The weights do not show the mask",
            "Your output is right, but the weights that you return are those of an attention without mask.",
            _output_masked,
        ),
        Misconception(
            "needs-a-mask",
            "A mask is required",
            "Without a mask (`mask=None`) your answer fails. Nothing is masked then.",
            _needs_mask,
        ),
        Misconception(
            "always-causal",
            "Causal whatever the mask says",
            "You forbid the future even where the mask does not. Who may look at whom is the caller's decision: an encoder looks both "
            "ways.",
            _always_causal,
        ),
        Misconception(
            "no-scale",
            "The scale is missing",
            "The scores are not divided by √D (unit 02).",
            weighing(ref.masked_softmax, lambda q, k: q @ k.mT),
        ),
        Misconception(
            "divides-by-d",
            "Divided by d, not by its root",
            "The scores are divided by D; it should be its root (unit 02).",
            weighing(ref.masked_softmax, lambda q, k: q @ k.mT / k.shape[-1]),
        ),
        Misconception(
            "scaled-by-the-number-of-keys",
            "Scaled by the number of keys",
            "You take the root of the number of keys S. The dot product sums over the *features* (unit 02).",
            weighing(ref.masked_softmax, lambda q, k: q @ k.mT / math.sqrt(k.shape[-2])),
        ),
        Misconception(
            "scale-outside-softmax",
            "The scale stands outside the softmax",
            "You divide the weights, after the softmax: their rows no longer sum to one (unit 02).",
            _outside,
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return the output alone. Return both, output first.",
            lambda query, key, value, mask=None: ref.masked_attention(query, key, value, mask)[0],
        ),
    ),
)

# sees_the_future -----------------------------------------------------------------------------------------------------


def future_cases(draw: Draw) -> list[Case]:
    b, t, d, e = draw.sizes(4, low=3, high=7)

    def layer(*leaks: tuple[int, int, float], steps: int = t, features: Tensor | None = None, diagonal: int = 0) -> Toy:
        """A layer that mixes time steps: the past freely, and the future only where `leaks` say so."""
        time = (draw.uniform(steps, steps, low=0.2, high=0.5) * draw.normal(steps, steps).sign()).tril(diagonal)
        for to, from_, weight in leaks:
            time[to, from_] = weight
        return Toy("time_mix", {"time": time, "features": draw.normal(d, e, scale=0.5) if features is None else features})

    def x(batch: int = b, steps: int = t) -> Tensor:
        return draw.normal(batch, steps, d)

    early, late, middle = 0, t - 1, draw.integer(0, t - 2)
    loud = x()
    loud[0] = 3e4 * (1 + draw.uniform(t, d))  # in the first sentence the layer's tanh is saturated: nothing moves there
    blind = draw.normal(d, e, scale=0.7)
    blind = blind - blind.mean(0)  # adding a constant to all features changes nothing, as behind a layer norm
    cases = [
        ("a causal layer", layer(), x(), "basic"),
        ("every step sees everything", layer(diagonal=t), x(), "basic"),
        (f"step {middle} sees the next one, nothing else leaks", layer((middle, middle + 1, 0.4)), x(), "basic"),
        ("the first step sees the last one, nothing else leaks", layer((early, late, 0.4)), x(), "basic"),
        ("only the past: not even itself", layer(diagonal=-1), x(), "basic"),
        ("the last step but one sees the last", layer((late - 1, late, 0.4)), x(), "edge"),
        ("the first step sees the second", layer((0, 1, 0.4)), x(), "edge"),
        ("a weak leak", layer((middle, middle + 1, 0.001)), x(), "edge"),
        (
            "a leak that the first sentence of the batch does not show",
            layer((early, late, 0.3), features=draw.uniform(d, e, low=0.3, high=0.7)),
            loud,
            "edge",
        ),
        ("a leak that a constant shift does not show", layer((middle, middle + 1, 0.5), features=blind), x(), "edge"),
        ("one step: there is no future", layer(steps=1), x(steps=1), "edge"),
        ("a causal layer, a single sentence", layer(), x(batch=1), "edge"),
    ]
    return [Case(label, args=(toy, data), group=group, hidden_values=True) for label, toy, data, group in cases]


def probe(
    change: Callable[[Tensor, int], Tensor],
    seen: Callable[[Tensor, int], Tensor] = lambda out, t: out[:, :t],
    steps: Callable[[int], Any] = lambda length: range(1, length),
    atol: float = 1e-6,
) -> Callable[[Callable[[Tensor], Tensor], Tensor], bool]:
    """The perturbation test with another change, another look or other steps, as a variant."""

    def variant(layer: Callable[[Tensor], Tensor], x: Tensor) -> bool:
        before = layer(x)
        return any(not torch.allclose(seen(layer(change(x, t)), t), seen(before, t), atol=atol) for t in steps(x.shape[1]))

    return variant


def noise(x: Tensor) -> Tensor:
    return torch.randn(x.shape, generator=torch.Generator().manual_seed(1))


def random_future(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], x[:, t:] + noise(x)[:, t:]], dim=1)


def random_step(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], x[:, t : t + 1] + noise(x)[:, t : t + 1], x[:, t + 1 :]], dim=1)


def constant_future(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], x[:, t:] + 1], dim=1)


def nan_future(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t], torch.full_like(x[:, t:], torch.nan)], dim=1)


def other_past(x: Tensor, t: int) -> Tensor:
    return torch.cat([x[:, :t] + noise(x)[:, :t], x[:, t:]], dim=1)


def _assigns_to_the_past(tree: ast.AST) -> bool:
    """Is there an assignment such as z[:, :t] = …?"""
    targets = [t for n in ast.walk(tree) if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in ast.walk(tree) if isinstance(n, ast.AugAssign)]
    slices = [t.slice for t in targets if isinstance(t, ast.Subscript)]
    steps = [s.elts[1] for s in slices if isinstance(s, ast.Tuple) and len(s.elts) > 1]
    return any(isinstance(step, ast.Slice) and step.lower is None and step.upper is not None for step in steps)


def is_a_bool() -> Property:
    """True or False, as a Python value or a tensor of one."""

    def broken(case: Case, got: Outcome) -> str | None:
        value = got.value
        fine = isinstance(value, bool) or (isinstance(value, Tensor) and value.dtype == torch.bool and value.numel() == 1)
        return None if fine else f"the answer is {type(value).__name__}, not True or False"

    return Property("answers True or False", broken)


COMPARES_TOO_MUCH = (
    "You also compare positions whose own input you changed; they change in every layer, causal or not. Which positions must stay as "
    "they were?"
)
MISSES_ONE = (
    "You leave out the position right before the change, so a leak by a single step slips through. That is the most frequent leak of "
    "all: the next word."
)

SEES_THE_FUTURE = Exercise(
    name="sees_the_future",
    points=5,
    section="A test that catches the leak",
    kind="callable",
    reference=ref.sees_the_future,
    returns=("True or False",),
    cases=future_cases,
    properties=(is_a_bool(),),
    forbidden=(
        Forbidden(
            "A layer is judged by what it does, not by what it is made of: call it, and do not look inside.",
            names=("time", "features", "__dict__", "state_dict", "parameters", "named_parameters", "buffers", "_modules"),
        ),
    ),
    misconceptions=(
        Misconception(
            "inverted",
            "The answer is the wrong way round",
            "You answer True for layers that are causal. The question is whether the layer *sees* the future.",
            lambda layer, x: not ref.sees_the_future(layer, x),
        ),
        Misconception(
            "always-true",
            "Every layer is accused",
            COMPARES_TOO_MUCH,
            lambda layer, x: True,
        ),
        Misconception(
            "always-false",
            "No layer is ever accused",
            "You answer False for every layer, also for one in which every step sees everything. Is the output computed again after "
            "the change, and from the changed input?",
            lambda layer, x: False,
        ),
        Misconception(
            "compares-changed-steps",
            "Changed steps are compared as well",
            COMPARES_TOO_MUCH,
            probe(random_future, seen=lambda out, t: out),
        ),
        Misconception(
            "includes-the-present",
            "A step may depend on itself",
            "You change step t and expect output t to stay the same. A layer may look at the present; only what lies *before* the "
            "change must not move.",
            probe(random_future, seen=lambda out, t: out[:, : t + 1]),
        ),
        Misconception(
            "changes-the-past",
            "The past is changed",
            "You change earlier steps and look at later outputs. That they move is what a layer is for. Change the future, look at "
            "the past.",
            probe(other_past, seen=lambda out, t: out[:, t:]),
            syntax=_assigns_to_the_past,
        ),
        Misconception(
            "misses-one-step",
            "A leak by one step slips through",
            MISSES_ONE,
            probe(random_future, seen=lambda out, t: out[:, : t - 1]),
        ),
        Misconception(
            "only-the-last-step",
            "Only the last step is changed",
            "You change the last step only. A layer may leak from any other step: each of them must be tried.",
            probe(random_future, steps=lambda length: range(max(length - 1, 1), length)),
        ),
        Misconception(
            "only-the-first-output",
            "Only the first output is looked at",
            "You look at the first output only. A leak into any other position goes unseen.",
            probe(random_future, seen=lambda out, t: out[:, :1]),
        ),
        Misconception(
            "one-cut",
            "Only one place to cut",
            "You cut the sequence once, in the middle. A leak from one step to the next inside a half goes unseen: cut everywhere.",
            probe(random_future, steps=lambda length: [length // 2] if length > 1 else []),
        ),
        Misconception(
            "only-the-next-step",
            "Only the neighbour is looked at",
            "You change step t and look at output t - 1 only. A leak from far ahead goes unseen: all earlier outputs must stay as "
            "they were.",
            probe(random_step, seen=lambda out, t: out[:, t - 1 : t]),
        ),
        Misconception(
            "loose-tolerance",
            "Weak leaks are forgiven",
            "Your tolerance is so large that a weak leak passes. An output that must not depend on something does not change at all, "
            "but for rounding (about 1e-6).",
            probe(random_future, atol=1e-1),
        ),
        Misconception(
            "loose-tolerance",
            "Weak leaks are forgiven",
            "Your tolerance is so large that a weak leak passes. An output that must not depend on something does not change at all, "
            "but for rounding (about 1e-6).",
            probe(random_future, atol=1e-2),
        ),
        Misconception(
            "first-sentence-only",
            "Only the first sentence is looked at",
            "You look at the first sentence of the batch only. A leak may show in others (here the first one drives the layer into "
            "saturation, where nothing moves).",
            probe(random_future, seen=lambda out, t: out[:1, :t]),
        ),
        Misconception(
            "constant-shift",
            "A change that the layer cannot see",
            "You add the same number to all features. Many layers do not notice that (a layer norm never does): change at random.",
            probe(constant_future),
        ),
        Misconception(
            "nan-probe",
            "NaN goes through every mask",
            "You put NaN into the future and see whether it spreads. It does even through a weight of exactly 0, because 0 · NaN is "
            "NaN: causal layers are accused.",
            probe(nan_future),
            syntax=lambda tree: (
                syntax.uses(tree, "nan", "isnan", "full_like") or any(getattr(n, "value", None) == "nan" for n in ast.walk(tree))
            ),
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_ZERO = Choice(
    name="slide_zero_score",
    points=2,
    section="Minus infinity, not zero",
    right="c",
    options={
        "a": Option(
            "Nothing: a similarity of 0 has weight 0.",
            "The weights come out of a softmax, and exp(0) is 1. With similarities 2 and 0 the second word still gets a weight of .12.",
            "score-taken-for-weight",
        ),
        "b": Option(
            "The word itself must be masked as well: it is known already.",
            "A word may look at itself, and the first one has nothing else. What must be hidden are the words that follow.",
            "masks-itself",
        ),
        "c": Option(
            "A similarity of 0 still gets a weight, because softmax takes exponentials: the similarity must be minus infinity.",
            "Right. exp(0) = 1 is an ordinary weight, and where the other similarities are negative even the largest. Only exp(-∞) is 0.",
        ),
        "d": Option(
            "The similarity may stay; it is enough to set the word's weight to 0 after the softmax.",
            "Then the rest of the row sums to less than one, by as much as the hidden word had: its similarity still influences the "
            "output, and so it leaks.",
            "not-renormalised",
        ),
    },
)

SLIDE_BEFORE = Choice(
    name="slide_only_before",
    points=2,
    section="The causal mask",
    right="b",
    options={
        "a": Option(
            "Nothing: a token that sees itself would see its own answer.",
            "The answer at step t is the *next* token: inputs are shifted by one. The token at step t is the input, and it is known.",
            "fears-its-own-input",
        ),
        "b": Option(
            "Each token also attends to itself; with a strict mask the first one would have nothing at all, and softmax would give NaN.",
            "Right. On and below the diagonal. The first row of a strict mask is empty, and 0 / 0 is NaN, which then spreads through "
            "all layers.",
        ),
        "c": Option(
            "In a decoder, tokens attend to items before and after.",
            "That is an encoder. A decoder that sees what comes after learns to copy it, and has nothing to copy when it must generate.",
            "decoder-taken-for-encoder",
        ),
        "d": Option(
            "The mask is only needed while generating, not in training.",
            "The other way round: while generating, the future does not exist yet. In training the whole sentence is there, and must "
            "be hidden.",
            "mask-only-when-generating",
        ),
    },
)

SLIDE_BOOLEAN = Choice(
    name="slide_two_booleans",
    points=2,
    section="Two libraries in one: what True means",
    right="d",
    options={
        "a": Option(
            "It is right: a lower triangle of True is a causal mask.",
            "For `F.scaled_dot_product_attention` it is. `nn.MultiheadAttention` reads a boolean mask the other way round.",
            "trusts-one-convention",
        ),
        "b": Option(
            "It raises an error: `nn.MultiheadAttention` takes only masks of 0 and -inf.",
            "It takes both, boolean and float. No error is the worst part: it runs.",
            "expects-an-error",
        ),
        "c": Option(
            "The mask has no effect in this module unless `is_causal=True` is given as well.",
            "`is_causal` is only a hint that may make it faster; the mask is used in any case.",
            "hint-taken-for-switch",
        ),
        "d": Option(
            "It hides the past and shows the future, because this module reads True as *blocked*; the last token sees nothing and "
            "becomes NaN.",
            "Right. In `nn.MultiheadAttention` True means blocked, in `F.scaled_dot_product_attention` True means allowed. Here the "
            "layer would need `~mask`.",
        ),
    },
)

UNIT = Unit(
    name="03_masking",
    title="Masking: who may look at whom",
    exercises=(PADDING, CAUSAL, MASKED_SOFTMAX, MASKED_ATTENTION, SEES_THE_FUTURE, SLIDE_ZERO, SLIDE_BEFORE, SLIDE_BOOLEAN),
)
