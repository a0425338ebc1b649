"""Unit 10: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils import syntax
from course_utils.exercise import Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Outcome, Unit
from course_utils.pictures import weights_picture
from course_utils.play import gradients_of
from course_utils.properties import rows_sum_to_one

# image_regions -------------------------------------------------------------------------------------------------------


def regions_cases(draw: Draw) -> list[Case]:
    batch, channels, height, width = draw.sizes(4)
    return [
        Case(f"{channels} channels of {height} x {width}", args=(draw.normal(batch, channels, height, width),)),
        Case(f"{height} channels of {width} x {channels}", args=(draw.normal(batch, height, width, channels),)),
        Case("as high as wide", args=(draw.normal(batch, channels, width, width),)),
        Case("gradients arrive", args=(draw.normal(batch, channels, height, width),), gradients=True),
        Case("one place", args=(draw.normal(batch, channels, 1, 1),), group="edge"),
        Case("one channel", args=(draw.normal(batch, 1, height, width),), group="edge"),
        Case("one picture", args=(draw.normal(1, channels, height, width),), group="edge"),
    ]


def _reshaped(features: Tensor) -> Tensor:
    batch, channels, height, width = features.shape
    return features.reshape(batch, height * width, channels)


REGIONS = Exercise(
    name="image_regions",
    points=2,
    section="A picture as a set of regions",
    reference=ref.image_regions,
    returns=("regions (B, H * W, C)",),
    cases=regions_cases,
    misconceptions=(
        Misconception(
            "reshape-for-transpose",
            "The shape is right, the contents are not",
            "You `reshape` (or `view`) straight to (B, H * W, C). No number moves: your first region holds the first few places "
            "of channel 0 "
            "instead of all channels of one place. The channels must change places with height and width first.",
            _reshaped,
        ),
        Misconception(
            "not-transposed",
            "Channels as rows",
            "Your result is (B, C, H * W): one row per channel. Asked for is one row per region, so that a weighted sum over "
            "rows is a mixture "
            "of regions.",
            lambda features: features.flatten(2),
        ),
        Misconception(
            "column-by-column",
            "The regions are read column by column",
            "Every region is right, but they come column after column. Asked for is reading order: the top row from left to "
            "right, then the next.",
            lambda features: features.permute(0, 3, 2, 1).flatten(1, 2),
        ),
        Misconception(
            "grid-kept",
            "The regions still lie in a grid",
            "Your result is (B, H, W, C). Attention wants a set of regions: one axis for all of them.",
            lambda features: features.permute(0, 2, 3, 1),
        ),
        Misconception(
            "pooled",
            "The regions are averaged away",
            "You average over all places. That is the one static vector that attention is meant to replace: keep the places apart.",
            lambda features: features.mean((2, 3)),
        ),
        Misconception(
            "channels-as-regions",
            "The batch is gone",
            "You flatten the batch into the regions. Every picture keeps its own: (B, H * W, C).",
            lambda features: features.permute(0, 2, 3, 1).flatten(0, 2),
        ),
        Misconception(
            "rows-as-regions",
            "A region is a whole row",
            "You make one region of each row of the map, (B, H, C * W). A region is one place: there are H * W of them.",
            lambda features: features.permute(0, 2, 1, 3).flatten(2),
        ),
        Misconception(
            "all-axes-reversed",
            "The batch has moved to the back",
            "Your result is (H * W, C, B). `.T` turns round *all* axes, the batch too; only the last two should change places.",
            lambda features: features.flatten(2).permute(2, 1, 0),
        ),
        Misconception(
            "one-vector",
            "One vector for the whole picture",
            "Your result is (B, C * H * W): everything in one row. There is nothing left to choose from: keep one row per place.",
            lambda features: features.flatten(1),
        ),
    ),
)

# soft_attention ------------------------------------------------------------------------------------------------------


def attention_args(draw: Draw, batch: int, regions: int, dim: int, state: int, hidden: int) -> tuple[Tensor, ...]:
    return (
        draw.normal(batch, regions, dim),
        draw.normal(batch, state),
        draw.normal(dim, hidden, scale=dim**-0.5),
        draw.normal(state, hidden, scale=state**-0.5),
        draw.normal(hidden),
    )


def soft_cases(draw: Draw) -> list[Case]:
    batch, regions, dim, state, hidden = draw.sizes(5)
    large = list(attention_args(draw, batch, regions, dim, state, hidden))
    large[4] = 60 * large[4]
    return [
        Case(f"{regions} regions of {dim}, a state of {state}", args=attention_args(draw, batch, regions, dim, state, hidden)),
        Case(f"{hidden} regions of {state}, a state of {dim}", args=attention_args(draw, regions, hidden, state, dim, batch)),
        Case("region and state of one size", args=attention_args(draw, batch, regions, dim, dim, hidden)),
        Case("gradients arrive", args=attention_args(draw, batch, regions, dim, state, hidden), gradients=True),
        Case("one region", args=attention_args(draw, batch, 1, dim, state, hidden), group="edge"),
        Case("one picture", args=attention_args(draw, 1, regions, dim, state, hidden), group="edge"),
        Case("large scores", args=tuple(large), group="edge"),
    ]


def scored(score: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    """soft_attention with other scores (B, R)."""

    def variant(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        weights = score(regions, state, w_r, w_s, v).softmax(-1)
        return (weights[:, None] @ regions).squeeze(1), weights

    return variant


def energies(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> Tensor:
    return torch.tanh(regions @ w_r + (state @ w_s)[:, None]) @ v


def finished(result: Callable[[Tensor, Tensor, Tensor], Any]) -> Callable[..., Any]:
    """soft_attention that returns something else, made of regions (B, R, D), scores (B, R) and weights (B, R)."""

    def variant(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> Any:
        scores = energies(regions, state, w_r, w_s, v)
        return result(regions, scores, scores.softmax(-1))

    return variant


def mixed(regions: Tensor, weights: Tensor) -> Tensor:
    return (weights[:, None] @ regions).squeeze(1)


def _projected_context(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    weights = energies(regions, state, w_r, w_s, v).softmax(-1)
    return mixed(regions @ w_r, weights), weights


def no_region_axis(mix: Callable[[Tensor, Tensor], Tensor]) -> Misconception:
    """The state without an axis for the regions; one region or one picture still works, and there ways to mix differ."""

    def variant(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        weights = (torch.tanh(regions @ w_r + state @ w_s) @ v).softmax(-1)
        return mix(regions, weights), weights

    return Misconception(
        "no-region-axis",
        "The state does not meet every region",
        "`regions @ w_r` is (B, R, A) and `state @ w_s` is (B, A): broadcasting compares from the right and pairs the regions with the "
        "batch. The state is the same for all regions of its picture: give it an axis of length one where the regions are.",
        variant,
    )


def _over_hidden(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    hidden = torch.tanh(regions @ w_r + (state @ w_s)[:, None]).softmax(-1)
    weights = hidden @ v
    return mixed(regions, weights), weights


SOFT = Exercise(
    name="soft_attention",
    points=4,
    section="Where to look: soft attention",
    reference=ref.soft_attention,
    returns=("context (B, D)", "weights (B, R)"),
    cases=soft_cases,
    properties=(rows_sum_to_one(1),),
    picture=weights_picture(1),
    misconceptions=(
        Misconception(
            "no-tanh",
            "Without the tanh the state drops out",
            "You left the tanh out. Then the state adds the same number to the scores of all regions, softmax cancels it, and "
            "every word looks at "
            "the same places.",
            scored(lambda r, s, w_r, w_s, v: (r @ w_r + (s @ w_s)[:, None]) @ v),
        ),
        Misconception(
            "tanh-on-the-score",
            "The tanh is applied to the score",
            "You apply the tanh after the product with v. Then the state still drops out of the softmax almost entirely, and no "
            "score leaves "
            "[-1, 1]. It belongs on the hidden layer, before v.",
            scored(lambda r, s, w_r, w_s, v: torch.tanh((r @ w_r + (s @ w_s)[:, None]) @ v)),
        ),
        Misconception(
            "relu-energies",
            "A ReLU for the tanh",
            "You use a ReLU in the hidden layer. Asked for is tanh, as in the papers.",
            scored(lambda r, s, w_r, w_s, v: torch.relu(r @ w_r + (s @ w_s)[:, None]) @ v),
        ),
        Misconception(
            "state-ignored",
            "The state has no say",
            "Your scores do not depend on the state: the model would look at the same regions for every word.",
            scored(lambda r, s, w_r, w_s, v: torch.tanh(r @ w_r) @ v),
        ),
        Misconception(
            "multiplied-not-added",
            "Multiplied instead of added",
            "You multiply the two projections. That is multiplicative attention; here they are added before the tanh.",
            scored(lambda r, s, w_r, w_s, v: torch.tanh((r @ w_r) * (s @ w_s)[:, None]) @ v),
        ),
        Misconception(
            "tanh-of-each",
            "The tanh of each instead of the tanh of the sum",
            "You apply the tanh to both projections and add afterwards. The part of the state is then the same for all regions again, and "
            "softmax cancels it.",
            scored(lambda r, s, w_r, w_s, v: (torch.tanh(r @ w_r) + torch.tanh(s @ w_s)[:, None]) @ v),
            syntax=lambda tree: len(syntax.calls(tree, "tanh")) > 1,
        ),
        no_region_axis(mixed),
        no_region_axis(lambda regions, weights: (weights[..., None] * regions).sum(1)),
        Misconception(
            "scaled",
            "Scores divided by a root",
            "You divide the scores by the root of a size. That belongs to dot products, whose variance grows with the size; here "
            "the text has no scale.",
            scored(lambda r, s, w_r, w_s, v: energies(r, s, w_r, w_s, v) / v.shape[0] ** 0.5),
        ),
        Misconception(
            "no-softmax",
            "Scores instead of weights",
            "You use the scores as they are. Weights are positive and sum to one: something is missing between scores and context.",
            finished(lambda regions, scores, weights: (mixed(regions, scores), scores)),
        ),
        Misconception(
            "softmax-over-batch",
            "The pictures compete instead of the regions",
            "You take the softmax over the batch. The regions of one picture share the attention: which axis are they?",
            finished(lambda regions, scores, weights: (mixed(regions, scores.softmax(0)), scores.softmax(0))),
        ),
        Misconception(
            "sigmoid",
            "Every region on its own",
            "You use a sigmoid: each region gets its weight without looking at the others, and they do not sum to one.",
            finished(lambda regions, scores, weights: (mixed(regions, scores.sigmoid()), scores.sigmoid())),
        ),
        Misconception(
            "mean-instead-of-sum",
            "The mean of the weighted regions",
            "Your context is too small by the number of regions: the weights already sum to one, so weighted regions are added up.",
            finished(lambda regions, scores, weights: ((weights[..., None] * regions).mean(1), weights)),
        ),
        Misconception(
            "plain-mean",
            "The weights are not used",
            "Your context is the plain mean of the regions. The weights say how much of each region goes in.",
            finished(lambda regions, scores, weights: (regions.mean(1), weights)),
        ),
        Misconception(
            "best-region-only",
            "One region takes all",
            "You take the region with the largest weight. That is a hard choice, and nothing can be learned through an argmax: "
            "mix all regions.",
            finished(lambda regions, scores, weights: (regions[torch.arange(len(regions)), weights.argmax(-1)], weights)),
        ),
        Misconception(
            "context-of-projections",
            "A context of projections",
            "You mix `regions @ w_r`. The projection is for the scores; what is brought back are the regions themselves, of size D.",
            _projected_context,
        ),
        Misconception(
            "not-summed",
            "Not added up yet",
            "Your context is (B, R, D): the weighted regions, side by side. Add them up.",
            finished(lambda regions, scores, weights: (weights[..., None] * regions, weights)),
        ),
        Misconception(
            "axis-of-one",
            "An axis of length one too many",
            "Your context is (B, 1, D). Asked for is (B, D): take the axis of length one out.",
            finished(lambda regions, scores, weights: (weights[:, None] @ regions, weights)),
        ),
        Misconception(
            "axis-of-one",
            "An axis of length one too many",
            "Your context is (B, 1, D) and your weights are (B, 1, R). The axis was useful for the product; take it out of both again.",
            finished(lambda regions, scores, weights: (weights[:, None] @ regions, weights[:, None])),
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return the context alone. The weights are what we want to see: return both, context first.",
            finished(lambda regions, scores, weights: mixed(regions, weights)),
        ),
        Misconception(
            "scores-returned",
            "Scores returned instead of weights",
            "Your context is right, but what you return beside it are the scores before the softmax.",
            finished(lambda regions, scores, weights: (mixed(regions, weights), scores)),
        ),
        Misconception(
            "softmax-over-hidden",
            "Softmax over the hidden layer",
            "You take the softmax over the hidden units, before v. The regions must share the attention: first one score per "
            "region, then softmax.",
            _over_hidden,
        ),
    ),
)

# CaptionStep ---------------------------------------------------------------------------------------------------------

Forward = Callable[..., Any]


def step_weights(draw: Draw, init: tuple[int, ...]) -> dict[str, Tensor]:
    """A state for CaptionStep in which every number is drawn."""
    vocabulary, embedding, dim, hidden, attention = init
    inputs = embedding + dim
    return {
        "embed.weight": draw.normal(vocabulary, embedding),
        "cell.weight_ih": draw.normal(4 * hidden, inputs, scale=inputs**-0.5),
        "cell.weight_hh": draw.normal(4 * hidden, hidden, scale=hidden**-0.5),
        "cell.bias_ih": draw.normal(4 * hidden, scale=0.3),
        "cell.bias_hh": draw.normal(4 * hidden, scale=0.3),
        "w_r": draw.normal(dim, attention, scale=dim**-0.5),
        "w_s": draw.normal(hidden, attention, scale=2 * hidden**-0.5),
        "v": draw.normal(attention),
        "out.weight": draw.normal(vocabulary, hidden),
        "out.bias": draw.normal(vocabulary),
    }


def step_cases(draw: Draw) -> list[Case]:
    batch, regions, embedding, dim, hidden = draw.sizes(5, low=2, high=7)
    vocabulary, attention = 11, 8

    def case(label: str, batch: int, regions: int, dim: int = dim, hidden: int = hidden, **options: Any) -> Case:
        init = (vocabulary, embedding, dim, hidden, attention)
        tokens = draw.integers(0, vocabulary - 1, batch)
        state = (draw.normal(batch, hidden), draw.normal(batch, hidden))
        args = (tokens, state, draw.normal(batch, regions, dim))
        return Case(label, init=init, weights=step_weights(draw, init), args=args, **options)

    return [
        case(f"{batch} captions, {regions} regions", batch, regions),
        case("another step", batch + 1, regions + 1),
        case("embedding, regions and state of one size", batch, regions, dim=embedding, hidden=embedding),
        case("gradients arrive everywhere", batch, regions, gradients=True),
        case("one region", batch, 1, group="edge"),
        case("one caption", 1, regions, group="edge"),
    ]


def stepping(forward: Forward) -> type[ref.CaptionStep]:
    """CaptionStep with another forward."""
    return type("Variant", (ref.CaptionStep,), {"forward": forward})


def seen(self: Any, regions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    return ref.soft_attention(regions, state, self.w_r, self.w_s, self.v)


def with_parts(
    query: Callable[[Tensor, Tensor], Tensor] = lambda h, c: h,
    inputs: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda word, context, regions: torch.cat([word, context], -1),
    before: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] = lambda h, c: (h, c),
    result: Callable[..., Any] = lambda self, h, c, weights, old: (self.out(h), (h, c), weights),
) -> type[ref.CaptionStep]:
    """CaptionStep with one of its parts exchanged."""

    def forward(self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor) -> Any:
        h, c = state
        context, weights = seen(self, regions, query(h, c))
        new_h, new_c = self.cell(inputs(self.embed(token), context, regions), before(h, c))
        return result(self, new_h, new_c, weights, state)

    return stepping(forward)


def _current_state(self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor) -> Any:
    context, _ = seen(self, regions, state[0])
    h, c = self.cell(torch.cat([self.embed(token), context], -1), state)
    return self.out(h), (h, c), seen(self, regions, h)[1]


def _state_not_unpacked(self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor) -> Any:
    return seen(self, regions, state)  # type: ignore[arg-type]


def _asks_with_the_pair(tree: ast.AST) -> bool:
    """Is the whole state handed to soft_attention, both h and c?"""
    asked = [call.args[1] for call in syntax.calls(tree, "soft_attention") if len(call.args) > 1]
    asked += [word.value for call in syntax.calls(tree, "soft_attention") for word in call.keywords if word.arg == "state"]
    return any(isinstance(node, ast.Name) and node.id == "state" for node in asked) and not _rebinds(tree, "state")


def _rebinds(tree: ast.AST, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store) for node in ast.walk(tree))


def _zero_state(self: Any, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor) -> Any:
    context, weights = seen(self, regions, state[0])
    h, c = self.cell(torch.cat([self.embed(token), context], -1))
    return self.out(h), (h, c), weights


STEP = Exercise(
    name="CaptionStep",
    points=4,
    section="One word at a time",
    reference=ref.CaptionStep,
    kind="module",
    returns=("logits (B, V)", "state (h, c)", "weights (B, R)"),
    cases=step_cases,
    misconceptions=(
        Misconception(
            "attends-with-cell-state",
            "The cell state asks instead of h",
            "You attend with c. The state that speaks to the outside is h; c is the LSTM's private memory.",
            with_parts(query=lambda h, c: c),
        ),
        Misconception(
            "context-before-embedding",
            "Context and word are swapped",
            "You put the context in front of the embedding. The sizes add up either way, but the text fixes the order: word "
            "first, then context.",
            with_parts(inputs=lambda word, context, regions: torch.cat([context, word], -1)),
        ),
        Misconception(
            "static-context",
            "The mean of the regions, whatever the word",
            "You feed the LSTM the mean of the regions. Then every word sees the same picture, and the attention that you "
            "compute has no effect: feed the context.",
            with_parts(inputs=lambda word, context, regions: torch.cat([word, regions.mean(1)], -1)),
        ),
        Misconception(
            "word-ignored",
            "The last word is not read",
            "The token has no influence. The LSTM must know which word it has just said.",
            with_parts(inputs=lambda word, context, regions: torch.cat([torch.zeros_like(word), context], -1)),
        ),
        Misconception(
            "context-ignored",
            "What was seen is not read",
            "The context has no influence on the words. Concatenate it with the embedding.",
            with_parts(inputs=lambda word, context, regions: torch.cat([word, torch.zeros_like(context)], -1)),
        ),
        Misconception(
            "h-and-c-swapped",
            "h and c are swapped on the way in",
            "You hand (c, h) to the cell. `nn.LSTMCell` takes and returns (h, c).",
            with_parts(before=lambda h, c: (c, h)),
        ),
        Misconception(
            "state-forgotten",
            "The cell starts from zero at every word",
            "You call the cell without the state, so it starts from zeros every time and cannot know what it has said before.",
            stepping(_zero_state),
        ),
        Misconception(
            "old-state-returned",
            "The old state is returned",
            "You return the state that came in. The next step would start where this one did.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h), old, weights)),
        ),
        Misconception(
            "logits-from-old-state",
            "The word is read off the old state",
            "Your logits come from the h that came in, which has seen neither the last word nor the picture. Use the new h.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(old[0]), (h, c), weights)),
        ),
        Misconception(
            "logits-from-cell-state",
            "The word is read off c",
            "Your logits come from c. What the LSTM shows to the outside is h.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(c), (h, c), weights)),
        ),
        Misconception(
            "state-returned-swapped",
            "h and c are swapped on the way out",
            "You return (c, h). The text, and `nn.LSTMCell`, have (h, c).",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h), (c, h), weights)),
        ),
        Misconception(
            "cell-results-swapped",
            "h and c are swapped as they leave the cell",
            "You unpack the cell's result as c, h. `nn.LSTMCell` returns (h, c): with you the word is read off the private memory, and the "
            "next step gets the two the wrong way round.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(c), (c, h), weights)),
        ),
        Misconception(
            "state-not-a-pair",
            "Four results instead of three",
            "You return h and c side by side. They belong together: the second of the three results is the tuple (h, c), which is what the "
            "next step takes.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h), h, c, weights)),
        ),
        Misconception(
            "asks-with-the-pair",
            "The state is a pair",
            "You hand the whole state to `soft_attention`. It is a tuple (h, c), and what asks is h alone.",
            stepping(_state_not_unpacked),
            syntax=_asks_with_the_pair,
        ),
        Misconception(
            "softmax-in-the-step",
            "Probabilities instead of logits",
            "You put a softmax on the output. Cross entropy has one inside; return the logits.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h).softmax(-1), (h, c), weights)),
        ),
        Misconception(
            "word-instead-of-logits",
            "The word instead of the logits",
            "You return the likeliest word. Training needs the logits of all words.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h).argmax(-1), (h, c), weights)),
        ),
        Misconception(
            "only-h-returned",
            "c is lost",
            "You return h alone as the state. The LSTM needs c as well in the next step.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h), h, weights)),
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return logits and state. The weights come third: they show where the model looked.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h), (h, c))),
        ),
        Misconception(
            "order-of-results",
            "Results in another order",
            "All three are right, but the text asks for logits, state, weights.",
            with_parts(result=lambda self, h, c, weights, old: (self.out(h), weights, (h, c))),
        ),
        Misconception(
            "weights-of-the-new-state",
            "The weights belong to the next word",
            "You return the weights of the new state. They do not belong to the context that this word was made from.",
            stepping(_current_state),
        ),
    ),
)

# coverage_penalty ----------------------------------------------------------------------------------------------------


def coverage_cases(draw: Draw) -> list[Case]:
    batch, steps, regions, other = draw.sizes(4)

    def weights(batch: int, steps: int, regions: int) -> Tensor:
        return draw.normal(batch, steps, regions, scale=1.5).softmax(-1)

    fair = torch.eye(regions)[draw.permutation(regions)].expand(batch, -1, -1).contiguous()  # every region once
    return [
        Case(f"{batch} captions of {steps} words, {regions} regions", args=(weights(batch, steps, regions),)),
        Case(f"{other} captions of {regions} words, {steps} regions", args=(weights(other, regions, steps),)),
        Case("gradients arrive", args=(weights(batch, other, regions),), gradients=True),
        Case("every region exactly once", args=(fair,), group="edge"),
        Case("one caption", args=(weights(1, steps, regions),), group="edge"),
        Case("one word", args=(weights(batch, 1, regions),), group="edge"),
    ]


COVERAGE = Exercise(
    name="coverage_penalty",
    points=3,
    section="Look everywhere once: coverage",
    reference=ref.coverage_penalty,
    returns=("the penalty, a scalar",),
    cases=coverage_cases,
    misconceptions=(
        Misconception(
            "sum-over-regions-first",
            "Summed over the regions",
            "You sum the weights over the regions. Those sums are one by construction, so your penalty is always 0. What should be one is "
            "what a region gets over all words.",
            lambda weights: ((1 - weights.sum(-1)) ** 2).sum(-1).mean(),
        ),
        Misconception(
            "mean-over-steps",
            "The mean over the words instead of the sum",
            "You average over the words. With T words a region's mean share is about 1 / R, never 1: sum over the words.",
            lambda weights: ((1 - weights.mean(1)) ** 2).sum(-1).mean(),
        ),
        Misconception(
            "squared-before-summing",
            "Squared before the sum over the words",
            "You square (1 - weight) word by word. That asks every single weight to be one. First add up what a region gets, "
            "then compare with one.",
            lambda weights: ((1 - weights) ** 2).sum((1, 2)).mean(),
        ),
        Misconception(
            "mean-over-regions",
            "The mean over the regions",
            "You average over the regions too. The text sums over the regions and averages over the batch only.",
            lambda weights: ((1 - weights.sum(1)) ** 2).mean(),
        ),
        Misconception(
            "sum-over-batch",
            "Summed over the batch",
            "You add up the batch, so that a larger batch has a larger penalty. Take the mean over the batch.",
            lambda weights: ((1 - weights.sum(1)) ** 2).sum(),
        ),
        Misconception(
            "absolute-difference",
            "Absolute instead of squared",
            "You take the absolute difference. Asked for is its square.",
            lambda weights: (1 - weights.sum(1)).abs().sum(-1).mean(),
        ),
        Misconception(
            "not-squared",
            "The difference is not squared",
            "You add up the differences themselves. Regions with too much and regions with too little cancel out: the sum is R - "
            "T whatever happens.",
            lambda weights: (1 - weights.sum(1)).sum(-1).mean(),
        ),
        Misconception(
            "squared-after-summing",
            "Squared after the sum over the regions",
            "You sum the differences over the regions and square the sum. Too much here and too little there cancel out before the square.",
            lambda weights: ((1 - weights.sum(1)).sum(-1) ** 2).mean(),
        ),
        Misconception(
            "negative",
            "The sign is wrong",
            "Your penalty is negative: minimising it would drive the attention apart.",
            lambda weights: -((1 - weights.sum(1)) ** 2).sum(-1).mean(),
        ),
        Misconception(
            "per-caption",
            "One number per caption",
            "You return one penalty per caption. Asked for is their mean.",
            lambda weights: ((1 - weights.sum(1)) ** 2).sum(-1),
        ),
        Misconception(
            "only-undershoot",
            "Too much attention costs nothing",
            "You clamp the difference, so that only regions with too little attention are punished. The text punishes both sides.",
            lambda weights: ((1 - weights.sum(1)).clamp(min=0) ** 2).sum(-1).mean(),
        ),
    ),
)

# hard_attention ------------------------------------------------------------------------------------------------------


def one_row_problem(case_args: tuple[Any, ...], got: Outcome) -> str | None:
    """What is wrong with one sampled region per row: shapes, the region that belongs to the index, and its log probability."""
    regions, weights = case_args[:2]
    if not isinstance(got.value, tuple | list) or len(got.value) != 3:
        return "three results are asked for: context, index and log_prob"
    context, index, log_prob = got.value
    if not all(isinstance(part, Tensor) for part in (context, index, log_prob)):
        return "all three results should be tensors"
    for name, part, shape in (
        ("context", context, (len(regions), regions.shape[2])),
        ("index", index, (len(regions),)),
        ("log_prob", log_prob, (len(regions),)),
    ):
        if tuple(part.shape) != shape:
            return f"{name} has shape {tuple(part.shape)}, expected {shape}"
    if index.is_floating_point() or index.dtype == torch.bool:
        return f"index should hold whole numbers, not {index.dtype}"
    if bool((index < 0).any()) or bool((index >= regions.shape[1]).any()):
        return f"index should lie between 0 and {regions.shape[1] - 1}"
    rows = torch.arange(len(regions))
    if bool((weights[rows, index] == 0).any()):
        return "a region of weight 0 was drawn"
    if not torch.allclose(context.double(), regions[rows, index].double(), atol=1e-5):
        return "the context is not the region that the index names"
    expected = weights[rows, index].double().log()
    if not torch.allclose(log_prob.double(), expected, atol=1e-4):
        return f"log_prob should be the logarithm of the weight that was drawn ({float(expected[0]):.4g} in the first row), not {float(log_prob[0]):.4g}"
    return None


def frequency_problem(case_args: tuple[Any, ...], got: Outcome) -> str | None:
    """Are the regions drawn about as often as their weights say? All rows have the same weights."""
    problem = one_row_problem(case_args, got)
    if problem:
        return problem
    weights, index = case_args[1], got.value[1]
    count = len(index)
    shares = torch.bincount(index, minlength=weights.shape[1]).double() / count  # (R,)
    expected = weights[0].double()  # (R,)
    slack = 5 * (expected * (1 - expected) / count).sqrt() + 1e-9  # five standard deviations
    worst = int(((shares - expected).abs() - slack).argmax())
    if abs(shares[worst] - expected[worst]) > slack[worst]:
        return f"of {count} draws with weight {expected[worst]:.2f} each, {shares[worst]:.2f} fell on region {worst}"
    return None


def gradient_problem(case_args: tuple[Any, ...], got: Outcome) -> str | None:
    """Do gradients flow from the context to the regions and from log_prob to the weights?"""
    problem = one_row_problem(case_args, got)
    if problem:
        return problem
    regions, weights = (part.clone().requires_grad_() for part in case_args[:2])
    _, index, _ = got.value
    expected = gradients_of((picked(regions, index), index, weight_of(weights, index).log()), {"regions": regions, "weights": weights})
    for number, (name, want) in enumerate(expected.items()):
        have = got.gradients.get(f"argument {number}")
        if have is None:
            return f"no gradient reaches `{name}`: was something detached, or turned into a Python number?"
        assert want is not None
        if name == "weights":  # softmax does not see what is the same in a whole row: a distribution that normalises again is right too
            want, have = want - want.mean(-1, keepdim=True), have - have.mean(-1, keepdim=True)
        if not torch.allclose(want, have, rtol=1e-3, atol=1e-3 * float(want.abs().max())):
            return f"the gradient of `{name}` is not right"
    return None


def _log_prob_detached(case: Case, got: Outcome) -> bool:
    """Everything is right but the gradient of the weights."""
    return one_row_problem(case.args, got) is None and (not case.gradients or got.gradients.get("argument 1") is None)


def hard_cases(draw: Draw) -> list[Case]:
    batch, regions, dim, other = draw.sizes(4, low=3, high=8)

    def case(label: str, weights: Tensor, problem: Callable[..., str | None] = one_row_problem, **options: Any) -> Case:
        count, places = weights.shape
        args = (draw.normal(count, places, dim), weights, torch.Generator().manual_seed(draw.integer(0, 10**6)))
        return Case(label, args=args, verify=lambda got: problem(args, got), **options)

    def soft(count: int, places: int) -> Tensor:
        return draw.normal(count, places).softmax(-1)

    sure = torch.eye(regions)[draw.integers(0, regions - 1, batch)]  # (B, R): nothing is left to chance
    many = torch.tensor([0.55, 0.05, 0.3, 0.1])[draw.permutation(4)].expand(1000, -1).contiguous()
    some = draw.mask(other, regions) * soft(other, regions)
    return [
        case(f"{batch} rows, {regions} regions", soft(batch, regions)),
        case(f"{other} rows, {batch} regions", soft(other, batch)),
        case("1000 draws from the same weights", many, frequency_problem, hidden_values=True),
        case("gradients arrive", soft(batch, other), gradient_problem, gradients=True),
        case("all the weight on one region", sure, group="edge"),
        case("some weights are zero", some / some.sum(-1, keepdim=True), group="edge"),
        case("one region", torch.ones(batch, 1), group="edge"),
        case("one row", soft(1, regions), group="edge"),
    ]


def parts(case: Case, got: Outcome) -> tuple[Tensor, Tensor, Any, Any, Any] | None:
    """regions, weights and the three results, if there are three."""
    if not isinstance(got.value, tuple | list) or len(got.value) != 3:
        return None
    return case.args[0], case.args[1], *got.value


def close(a: Any, b: Tensor) -> bool:
    return isinstance(a, Tensor) and a.shape == b.shape and torch.allclose(a.double(), b.double(), atol=1e-4)


def valid(index: Any, weights: Tensor) -> bool:
    return (
        isinstance(index, Tensor)
        and index.shape == weights.shape[:1]
        and not index.is_floating_point()
        and bool((index >= 0).all() and (index < weights.shape[1]).all())
    )


def drawn(wrong: Callable[[Tensor, Tensor, Tensor, Any, Any], bool]) -> Callable[[Case, Outcome], bool]:
    """A symptom: the index is a possible one, and (regions, weights, index, context, log_prob) look wrong in this way."""

    def symptom(case: Case, got: Outcome) -> bool:
        found = parts(case, got)
        if found is None:
            return False
        regions, weights, context, index, log_prob = found
        return valid(index, weights) and wrong(regions, weights, index, context, log_prob)

    return symptom


def picked(regions: Tensor, index: Tensor) -> Tensor:
    return regions[torch.arange(len(index)), index]


def weight_of(weights: Tensor, index: Tensor) -> Tensor:
    return weights[torch.arange(len(index)), index]


def _column_index(case: Case, got: Outcome) -> bool:
    found = parts(case, got)
    return found is not None and isinstance(found[3], Tensor) and found[3].shape == (len(found[1]), 1)


def _one_hot_index(case: Case, got: Outcome) -> bool:
    found = parts(case, got)
    return found is not None and isinstance(found[3], Tensor) and found[3].shape == found[1].shape and found[1].shape[1] > 0


def _always_best(regions: Tensor, weights: Tensor, index: Tensor, context: Any, log_prob: Any) -> bool:
    return close(weight_of(weights, index), weights.amax(-1))


def _uniform(tree: ast.AST) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr in ("randint", "randperm") for node in ast.walk(tree))


CHANCE = ("rand", "multinomial", "sample", "gumbel", "exponential", "choice", "uniform", "bernoulli", "categorical")


def draws_elsewhere(tree: ast.AST) -> bool:
    """Is the generator left alone by an answer that draws? (One that draws nothing is a misconception of its own.)"""
    chance = any(word in name.lower() for name in syntax.names_used(tree) for word in CHANCE)
    return generator_unused(tree) and (chance or not syntax.uses(tree, "argmax", "max", "topk", "sort", "argsort"))


def generator_unused(tree: ast.AST) -> bool:
    """Is the third parameter of hard_attention never read?"""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "hard_attention" and len(node.args.args) >= 3:
            name = node.args.args[2].arg
            return not any(isinstance(n, ast.Name) and n.id == name for part in node.body for n in ast.walk(part))
    return False


HARD = Exercise(
    name="hard_attention",
    points=4,
    section="Hard attention",
    reference=ref.hard_attention,
    returns=("context (B, D)", "index (B,)", "log_prob (B,)"),
    cases=hard_cases,
    forbidden=(
        Forbidden(
            "The generator is never used, so nobody could repeat what you have drawn. Draw from the generator that you are "
            "given, not from torch's global one.",
            test=draws_elsewhere,
        ),
        Forbidden(
            "You take the seed out of the generator. It is still where it was afterwards, so every call would draw the same again. "
            "Hand the generator itself to what draws.",
            names=("initial_seed", "manual_seed"),
        ),
    ),
    misconceptions=(
        Misconception(
            "argmax-for-a-draw",
            "The best region instead of a drawn one",
            "You always take the region with the largest weight. Hard attention draws: a region of weight 0.3 is looked at in 30 "
            "of 100 cases. "
            "Without chance nothing else would ever be tried.",
            symptom=drawn(_always_best),
        ),
        Misconception(
            "no-gradient",
            "The values are right, the gradient is not",
            "No gradient reaches the weights. `log_prob` is the only way by which they can learn where to look: compute it from the tensor "
            "of weights, not from a Python number (`.item()`, `math.log`) and not under `torch.no_grad()`.",
            symptom=_log_prob_detached,
        ),
        Misconception(
            "uniform-draw",
            "Drawn without regard to the weights",
            "You draw every region alike. The weights are the probabilities: which function of torch draws with given probabilities?",
            syntax=_uniform,
        ),
        Misconception(
            "probability-not-log",
            "The probability, not its logarithm",
            "Your third result is the weight itself. Asked for is its logarithm: it is what the gradient of an expectation needs.",
            symptom=drawn(lambda regions, weights, index, context, log_prob: close(log_prob, weight_of(weights, index))),
        ),
        Misconception(
            "negative-log",
            "Minus the logarithm",
            "Your third result is -log p, a loss. Asked for is log p, which is never positive.",
            symptom=drawn(lambda regions, weights, index, context, log_prob: close(log_prob, -weight_of(weights, index).log())),
        ),
        Misconception(
            "all-log-probs",
            "The logarithms of all weights",
            "Your third result has one entry per region. Asked for is that of the region that was drawn.",
            symptom=drawn(
                lambda regions, weights, index, context, log_prob: isinstance(log_prob, Tensor) and log_prob.shape == weights.shape
            ),
        ),
        Misconception(
            "soft-context",
            "A mixture instead of one region",
            "Your context mixes all regions by their weights. Hard attention brings back exactly one of them.",
            symptom=drawn(lambda regions, weights, index, context, log_prob: close(context, (weights[:, None] @ regions).squeeze(1))),
        ),
        Misconception(
            "scaled-context",
            "The region is multiplied by its weight",
            "You multiply the drawn region by its weight. It is brought back as it is: how often it is drawn already does the weighing.",
            symptom=drawn(
                lambda regions, weights, index, context, log_prob: close(
                    context, picked(regions, index) * weight_of(weights, index)[:, None]
                )
            ),
        ),
        Misconception(
            "indexes-the-batch",
            "The index picks from the wrong axis",
            "`regions[:, index]` takes all those regions of every row: (B, B, D). Each row wants its own region only: pair row and index.",
            symptom=drawn(lambda regions, weights, index, context, log_prob: close(context, regions[:, index])),
        ),
        Misconception(
            "column-index",
            "An axis of length one too many",
            "`multinomial` returns (B, 1), and so is your index. Asked for is (B,).",
            symptom=_column_index,
        ),
        Misconception(
            "one-hot-index",
            "One-hot instead of a number",
            "Your index is (B, R). Asked for is the number of the region that was drawn.",
            symptom=_one_hot_index,
        ),
        Misconception(
            "softmax-again",
            "Softmax of weights",
            "You put the weights through a softmax once more. They are probabilities already; a second softmax evens them out, "
            "and regions of weight 0 get drawn.",
            syntax=lambda tree: any(
                isinstance(node, ast.Attribute | ast.Name) and getattr(node, "attr", getattr(node, "id", "")) == "softmax"
                for node in ast.walk(tree)
            ),
        ),
        Misconception(
            "weights-as-logits",
            "Weights taken for logits",
            "You hand the weights over as `logits`. They are probabilities: a region of weight 0 has logit minus infinity, not 0.",
            syntax=lambda tree: any(
                isinstance(node, ast.keyword) and node.arg == "logits" and "log" not in ast.unparse(node.value) for node in ast.walk(tree)
            ),
        ),
        Misconception(
            "one-draw-for-all",
            "One draw for the whole batch",
            "You draw one region and use it in every row. Every row has weights of its own and wants a draw of its own.",
            symptom=drawn(lambda regions, weights, index, context, log_prob: bool((index == index[0]).all())),
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_SELF = Choice(
    name="slide_self",
    points=2,
    section="Where to look: soft attention",
    right="c",
    options={
        "a": Option(
            "Nothing: the picture attends to itself to find out what matters.",
            "The maps belong to words: for *frisbee* one region lights up, for *park* another. Who asks is the word, not the picture.",
            "picture-asks-itself",
        ),
        "b": Option(
            "It is self-attention among the words of the caption.",
            "Then the maps would lie over words. They lie over the picture: the keys and values are regions.",
            "words-among-words",
        ),
        "c": Option(
            "It is cross-attention: the decoder's state asks, the regions of the picture are keys and values.",
            "Right. Two sources: queries from the text, keys and values from the picture.",
        ),
        "d": Option(
            "It is hard attention: one region is chosen for each word.",
            "The maps are smooth: all regions have a share. And whether one asks oneself or somebody else is another question "
            "than soft or hard.",
            "self-means-hard",
        ),
    },
)

SLIDE_SOFT = Choice(
    name="slide_soft_hard",
    points=2,
    section="Hard attention",
    right="d",
    options={
        "a": Option(
            "Nothing: soft attention is global and hard attention is local, by definition.",
            "Luong's local attention is a window with smooth weights, trained by ordinary gradients: local and soft. So they "
            "cannot be the same thing.",
            "two-names-for-one",
        ),
        "b": Option(
            "The pairs are swapped: soft attention is local, hard attention global.",
            "Xu's soft attention weighs *all* regions of the picture: it is global. Swapping does not help; the pairing itself "
            "is the mistake.",
            "pairs-swapped",
        ),
        "c": Option(
            "Local attention cannot be trained by gradients, so it should stand alone.",
            "It can: a window of smooth weights has a gradient everywhere. It is the *drawing* of a place that has none.",
            "local-has-no-gradient",
        ),
        "d": Option(
            "They are two independent questions: how much of the input may be looked at (global or local), and mixture or draw "
            "(soft or hard).",
            "Right. Soft and global: Bahdanau. Soft and local: Luong's window. Hard: one place is drawn, and the gradient needs "
            "another way.",
        ),
    },
)

SLIDE_GATES = Choice(
    name="slide_gates",
    points=2,
    section="One word at a time",
    right="b",
    options={
        "a": Option(
            "D + m + n should be D + n: the embedding of the word is not an input.",
            "It is: E y is of size m and stands in the column on the right. What comes in is right; look at what comes out.",
            "inputs-wrong",
        ),
        "b": Option(
            "The output size should be 4n: the four gates i, f, o and g have n numbers each.",
            "Right. `nn.LSTMCell(m + D, n)` has weight matrices with 4n rows. With n rows there would be a quarter of a number per gate.",
        ),
        "c": Option(
            "There should be four tanh: a sigmoid cannot forget.",
            "A gate is a share between 0 and 1, which is what a sigmoid gives. Only g, the new content, may be negative.",
            "gates-are-tanh",
        ),
        "d": Option(
            "h should be h_t, not h_{t-1}.",
            "h_t is what is being computed. The gates can only use the state before it.",
            "uses-the-new-state",
        ),
    },
)

UNIT = Unit(
    name="10_image_captioning",
    title="Say what you see: image captioning",
    exercises=(REGIONS, SOFT, STEP, COVERAGE, HARD, SLIDE_SELF, SLIDE_SOFT, SLIDE_GATES),
)
