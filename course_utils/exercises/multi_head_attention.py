"""Unit 05: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from course_utils import multi_head_attention as ref
from course_utils import syntax
from course_utils.exercise import Call, Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Outcome, Property, Unit
from course_utils.masking import masked_attention
from course_utils.pictures import weights_picture
from course_utils.play import Opaque
from course_utils.properties import rows_sum_to_one
from course_utils.toys import Toy

# split_heads ---------------------------------------------------------------------------------------------------------


def split_cases(draw: Draw) -> list[Case]:
    batch, length, heads, size, other = draw.sizes(5)
    counted = torch.arange(48.0).view(2, 3, 8) + draw.integer(0, 50)  # small enough to be read
    return [
        Case("3 steps of 8 features, counted through, 4 heads", args=(counted, 4)),
        Case(f"{length} steps of {heads * size} features, {heads} heads", args=(draw.normal(batch, length, heads * size), heads)),
        Case(f"{other} steps, {size} heads", args=(draw.normal(batch, other, size * heads), size)),
        Case("gradients arrive", args=(draw.normal(batch, length, heads * size), heads), gradients=True),
        Case("one head", args=(draw.normal(batch, length, other), 1), group="edge"),
        Case("as many heads as features", args=(draw.normal(batch, length, size), size), group="edge"),
        Case(
            "heads that do not divide the features",
            args=(draw.normal(batch, length, heads * size + 1), heads),
            group="edge",
            raises=ValueError,
        ),
    ]


def _view(x: Tensor, heads: int, *sizes: int) -> Tensor:
    """x.view(sizes), after the check that the exercise asks for."""
    if x.shape[-1] % heads:
        raise ValueError("not divisible")
    return x.reshape(sizes)


def _split_interleaved(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return _view(x, heads, batch, length, dim // heads, heads).permute(0, 3, 1, 2)


def _split_size_for_heads(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return _view(x, heads, batch, length, dim // heads, heads).transpose(1, 2)


def _split_truncated(x: Tensor, heads: int) -> Tensor:
    size = x.shape[-1] // heads
    return ref.split_heads(x[..., : size * heads], heads)


def _split_unchecked(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return x.reshape(batch, length, heads, dim // heads).transpose(1, 2)


def _split_asserted(x: Tensor, heads: int) -> Tensor:
    assert x.shape[-1] % heads == 0
    return ref.split_heads(x, heads)


SPLIT = Exercise(
    name="split_heads",
    points=3,
    section="Split and merge",
    reference=ref.split_heads,
    returns=("heads (B, H, T, D / H)",),
    cases=split_cases,
    misconceptions=(
        Misconception(
            "view-for-transpose",
            "The shape is right, the contents are not",
            "You ask `view` or `reshape` for (B, H, T, d) at once. The numbers stay where they are in memory, so head 0 is filled with "
            "the first few whole tokens instead of a slice of every token. `view` can cut an axis into two neighbouring ones; it "
            "cannot change their order.",
            lambda x, heads: _view(x, heads, x.shape[0], heads, x.shape[1], x.shape[2] // heads),
        ),
        Misconception(
            "not-transposed",
            "The heads stand behind the time steps",
            "Your result is (B, T, H, d). Attention multiplies the last two axes, so the heads must stand in front of the time, beside "
            "the batch: which two axes must trade places?",
            lambda x, heads: ref.split_heads(x, heads).transpose(1, 2),
        ),
        Misconception(
            "interleaved",
            "Every H-th feature instead of a slice",
            "You cut the features into (d, H): head h gets the features h, h + H, h + 2H … Asked for are contiguous slices: the first "
            "d features belong to head 0. Which of the two new axes must be the slow one?",
            _split_interleaved,
        ),
        Misconception(
            "view-into-the-batch",
            "Heads folded into the batch, and mixed up",
            "You make (B * H, T, d) straight from (B, T, D). The heads need an axis of their own, and folding them like this tears the "
            "tokens apart as well: split the last axis first.",
            lambda x, heads: _view(x, heads, x.shape[0] * heads, x.shape[1], x.shape[2] // heads),
        ),
        Misconception(
            "heads-in-the-batch",
            "The heads are stacked on the batch axis",
            "You put the heads one after another along the batch. Asked for is an axis of their own, the second one: (B, H, T, d).",
            lambda x, heads: torch.cat(list(ref.split_heads(x, heads).unbind(1))),
        ),
        Misconception(
            "heads-first",
            "The heads stand in front of the batch",
            "Your result is (H, B, T, d). The batch stays the first axis, the heads are the second.",
            lambda x, heads: ref.split_heads(x, heads).transpose(0, 1),
        ),
        Misconception(
            "features-before-time",
            "Features and time have changed places",
            "Your result is (B, H, d, T). Within a head each row is a time step, as it was before: (B, H, T, d).",
            lambda x, heads: ref.split_heads(x, heads).mT,
        ),
        Misconception(
            "size-for-heads",
            "The number of heads taken for their size",
            "You make heads of size `heads`. The argument says how many there are; their size is D divided by it.",
            _split_size_for_heads,
        ),
        Misconception(
            "remainder-dropped",
            "The last features fall under the table",
            "Where the heads do not divide the features, you drop the rest without a word. A layer that silently ignores features is "
            "hard to find later: raise a ValueError.",
            _split_truncated,
        ),
        Misconception(
            "unchecked",
            "The error is not the one that was asked for",
            "Where the heads do not divide the features you let `view` fail by itself. Asked for is a ValueError, which tells the "
            "caller what was wrong with the arguments.",
            _split_unchecked,
        ),
        Misconception(
            "assert-for-raise",
            "An assert is not a ValueError",
            "`assert` raises AssertionError, and disappears when Python runs with -O. Input from outside is checked with `if …: raise "
            "ValueError(…)`.",
            _split_asserted,
        ),
        Misconception(
            "no-heads-made",
            "Nothing was split",
            "The features come back in one piece. Cut the last axis into heads, then move that axis in front of the time.",
            lambda x, heads: _view(x, heads, *x.shape),
        ),
    ),
)

# merge_heads ---------------------------------------------------------------------------------------------------------


def merge_cases(draw: Draw) -> list[Case]:
    batch, heads, length, size, other = draw.sizes(5)
    counted = torch.arange(48.0).view(2, 4, 3, 2) + draw.integer(0, 50)  # small enough to be read
    return [
        Case("4 heads of 2 features, counted through, 3 steps", args=(counted,)),
        Case(f"{heads} heads of {size} features, {length} steps", args=(draw.normal(batch, heads, length, size),)),
        Case(f"{size} heads of {heads} features, {other} steps", args=(draw.normal(batch, size, other, heads),)),
        Case("gradients arrive", args=(draw.normal(batch, heads, length, size),), gradients=True),
        Case("what split_heads makes", args=(ref.split_heads(draw.normal(batch, length, heads * size), heads),)),
        Case("one head", args=(draw.normal(batch, 1, length, size),), group="edge"),
        Case("one step", args=(draw.normal(batch, heads, 1, size),), group="edge"),
        Case("heads of one feature", args=(draw.normal(batch, heads, length, 1),), group="edge"),
    ]


def _merge_by_view(x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return x.reshape(batch, length, heads * size)


def _merge_view_of_transpose(x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return x.transpose(1, 2).view(batch, length, heads * size)


def _merge_wrong_axes(x: Tensor) -> Tensor:
    batch, heads, length, size = x.shape
    return x.transpose(2, 3).reshape(batch, length, heads * size)


def _views_a_transpose(tree: ast.AST) -> bool:
    return bool(syntax.calls(tree, "view")) and not syntax.calls(tree, "contiguous")


MERGE = Exercise(
    name="merge_heads",
    points=2,
    section="Split and merge",
    reference=ref.merge_heads,
    returns=("features (B, T, H * d)",),
    cases=merge_cases,
    misconceptions=(
        Misconception(
            "view-for-transpose",
            "The shape is right, the contents are not",
            "You ask `view` or `reshape` for (B, T, H * d) while the heads still stand in front of the time. Row 0 then holds several "
            "time steps of head 0 instead of step 0 of every head. Undo the steps of `split_heads` in the reverse order.",
            _merge_by_view,
        ),
        Misconception(
            "view-of-a-transposed-tensor",
            "A transposed tensor cannot be viewed like that",
            "A transpose only changes how the memory is walked through, and `view` refuses to glue together two axes that do not lie "
            "side by side in memory. The error message of torch names what to call instead; it copies where it must.",
            _merge_view_of_transpose,
            syntax=_views_a_transpose,
        ),
        Misconception(
            "interleaved",
            "The heads are shuffled into one another",
            "Your features are ordered (d, H): first feature 0 of every head, then feature 1 … Asked for is the order of "
            "`split_heads`: all of head 0, then all of head 1.",
            lambda x: x.permute(0, 2, 3, 1).flatten(2),
        ),
        Misconception(
            "wrong-axes",
            "The wrong two axes change places",
            "You transpose time and features, then glue together what lies side by side. The heads must come to stand next to their "
            "features: which axis has to move?",
            _merge_wrong_axes,
        ),
        Misconception(
            "heads-along-time",
            "The heads are strung along the time",
            "Your result is (B, H * T, d): one long sequence. Every time step should keep its place and get the features of all its heads.",
            lambda x: x.flatten(1, 2),
        ),
        Misconception(
            "heads-averaged",
            "The heads are averaged",
            "You take the mean over the heads, so that nobody can tell any more which head said what. The heads stand side by side in "
            "the features.",
            lambda x: x.mean(1),
        ),
        Misconception(
            "heads-added",
            "The heads are added",
            "You add the heads up. That happens later, and with a matrix of its own for each head (that is what W_O does). Here they "
            "stand side by side.",
            lambda x: x.sum(1),
        ),
        Misconception(
            "one-head-only",
            "Only one head comes back",
            "You return the first head. The others are lost.",
            lambda x: x[:, 0],
        ),
        Misconception(
            "not-flattened",
            "Still four axes",
            "Your result is (B, T, H, d). One step is missing: the last two axes become one.",
            lambda x: x.transpose(1, 2),
        ),
        Misconception(
            "features-before-time",
            "Features and time have changed places",
            "Your result is (B, H * d, T). The time is the second axis, the features the last.",
            lambda x: ref.merge_heads(x).mT,
        ),
    ),
)

# MultiHeadAttention --------------------------------------------------------------------------------------------------

Forward = Callable[..., Any]


def weights_of(draw: Draw, dim: int, scale: float = 1.0) -> dict[str, Tensor]:
    """A state for MultiHeadAttention in which every number is drawn."""
    state = {}
    for name in ("query", "key", "value", "out"):
        state[f"{name}.weight"] = draw.normal(dim, dim, scale=scale / dim**0.5)
        state[f"{name}.bias"] = draw.normal(dim, scale=0.5)
    return state


def low_scores(draw: Draw, heads: int, size: int) -> dict[str, Tensor]:
    """A state that makes every score about -50: a masked score of 0 or -10 would win against them."""
    state = weights_of(draw, heads * size, scale=0.3)
    direction = torch.nn.functional.normalize(draw.normal(heads, size), dim=-1).flatten()  # (D,): one unit vector per head
    state["query.bias"] = (50 * size**0.5) ** 0.5 * direction
    state["key.bias"] = -state["query.bias"]
    return state


def attention_cases(draw: Draw) -> list[Case]:
    batch, queries, keys, heads, size = draw.sizes(5, low=2, high=6)
    dim = heads * size

    def inputs() -> tuple[Tensor, Tensor, Tensor]:
        return draw.normal(batch, queries, dim), draw.normal(batch, keys, dim), draw.normal(batch, keys, dim)

    nothing = draw.mask(batch, 1, queries, keys)
    nothing[0, 0, 1] = False  # the second query of the first sequence has nothing to look at
    x = draw.normal(batch, queries, dim)
    init, words = (dim, heads), f"{heads} heads, {queries} queries, {keys} keys"
    return [
        Case(words, init=init, weights=weights_of(draw, dim), args=inputs()),
        Case("self-attention: query, key and value are one tensor", init=init, weights=weights_of(draw, dim), args=(x, x, x)),
        Case("gradients arrive", init=init, weights=weights_of(draw, dim), args=inputs(), gradients=True),
        Case("a mask (T, S)", init=init, weights=weights_of(draw, dim), args=(*inputs(), draw.mask(queries, keys))),
        Case("a padding mask (B, 1, 1, S)", init=init, weights=weights_of(draw, dim), args=(*inputs(), draw.mask(batch, 1, 1, keys))),
        Case(
            "another mask for every head",
            init=init,
            weights=weights_of(draw, dim),
            args=(*inputs(), draw.mask(batch, heads, queries, keys)),
        ),
        Case(
            "a mask, and scores near -50",
            init=init,
            weights=low_scores(draw, heads, size),
            args=(*inputs(), draw.mask(batch, 1, queries, keys)),
        ),
        Case("one head", init=(dim, 1), weights=weights_of(draw, dim), args=inputs(), group="edge"),
        Case("one key", init=init, weights=weights_of(draw, dim), args=(x, x[:, :1], x[:, 1:2]), group="edge"),
        Case("a query that may look at nothing", init=init, weights=weights_of(draw, dim), args=(*inputs(), nothing), group="edge"),
    ]


def variant(forward: Forward) -> type[ref.MultiHeadAttention]:
    """The module with another forward."""
    return type("Variant", (ref.MultiHeadAttention,), {"forward": forward})


def projected(self: Any, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(B, H, T, d), (B, H, S, d), (B, H, S, d), as they should be."""
    layers = ((self.query, query), (self.key, key), (self.value, value))
    q, k, v = (ref.split_heads(layer(x), self.heads) for layer, x in layers)
    return q, k, v


def finished(self: Any, output: Tensor, weights: Any) -> tuple[Tensor, Any]:
    return self.out(ref.merge_heads(output)), weights


def with_scores(change: Callable[[Any, Tensor], Tensor]) -> type[ref.MultiHeadAttention]:
    """Attention whose projected queries are changed: a factor there is a factor on the scores."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        q, k, v = projected(self, query, key, value)
        return finished(self, *masked_attention(change(self, q), k, v, mask))

    return variant(forward)


def with_inputs(change: Callable[[Any, Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]) -> type[ref.MultiHeadAttention]:
    """Attention that makes its (q, k, v), before the split, in another way."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        q, k, v = (ref.split_heads(x, self.heads) for x in change(self, query, key, value))
        return finished(self, *masked_attention(q, k, v, mask))

    return variant(forward)


def with_mask(change: Callable[[Tensor], Tensor | None]) -> type[ref.MultiHeadAttention]:
    """Attention that makes something else of its mask."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        q, k, v = projected(self, query, key, value)
        return finished(self, *masked_attention(q, k, v, None if mask is None else change(mask)))

    return variant(forward)


def with_fill(fill: float, dim: int = -1) -> type[ref.MultiHeadAttention]:
    """Attention with another score where the mask is False, and no rule for a row without any key."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        q, k, v = projected(self, query, key, value)
        scores = q @ k.mT / q.shape[-1] ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, fill)
        weights = scores.softmax(dim)
        return finished(self, weights @ v, weights)

    return variant(forward)


def with_result(change: Callable[[Any, Tensor, Tensor], Any]) -> type[ref.MultiHeadAttention]:
    """Attention that returns something else, made of the heads' outputs (B, H, T, d) and the weights."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        return change(self, *masked_attention(*projected(self, query, key, value), mask))

    return variant(forward)


def with_views(split: Callable[[Tensor, int], Tensor], merge: Callable[[Tensor], Tensor]) -> type[ref.MultiHeadAttention]:
    """Attention that splits and merges in other ways."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        layers = ((self.query, query), (self.key, key), (self.value, value))
        q, k, v = (split(layer(x), self.heads) for layer, x in layers)
        output, weights = masked_attention(q, k, v, mask)
        return self.out(merge(output)), weights

    return variant(forward)


def view_split(x: Tensor, heads: int) -> Tensor:
    batch, length, dim = x.shape
    return x.reshape(batch, heads, length, dim // heads)


def _weights_times_mask(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    q, k, v = projected(self, query, key, value)
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    weights = weights if mask is None else weights * mask
    return finished(self, weights @ v, weights)


MULTI_HEAD = Exercise(
    name="MultiHeadAttention",
    kind="module",
    points=5,
    section="The module in ten lines",
    reference=ref.MultiHeadAttention,
    returns=("output (B, T, D)", "weights (B, H, T, S)"),
    cases=attention_cases,
    tolerance=1e-4,
    properties=(rows_sum_to_one(1, zero_rows=True),),
    picture=weights_picture(1),
    forbidden=(
        Forbidden(
            "Here you build multi-head attention yourself: nn.MultiheadAttention and F.multi_head_attention_forward are not allowed. "
            "masked_attention of unit 03 and your split_heads and merge_heads are.",
            names=("MultiheadAttention", "multi_head_attention_forward", "_native_multi_head_attention"),
        ),
    ),
    misconceptions=(
        Misconception(
            "no-output-projection",
            "W_O is missing",
            "You return the merged heads as they are. Without `self.out` every head can only write to its own slice of the features, "
            "and nothing mixes what the heads found.",
            with_result(lambda self, output, weights: (ref.merge_heads(output), weights)),
        ),
        Misconception(
            "embedding-cut-up",
            "The input is split without being projected",
            "You cut the input itself into heads. Then head 0 only ever sees the first few features. Each head should see a learned "
            "projection of the whole vector: that is what `self.query`, `self.key` and `self.value` are for.",
            with_inputs(lambda self, query, key, value: (query, key, value)),
        ),
        Misconception(
            "one-projection",
            "One projection for everything",
            "You send query, key and value through the same layer. What a token looks for, what it offers and what it hands over are "
            "three different things: three layers.",
            with_inputs(lambda self, query, key, value: (self.query(query), self.query(key), self.query(value))),
        ),
        Misconception(
            "value-by-key-layer",
            "The values go through the keys' layer",
            "Your values are made with `self.key`. What can be found by and what is handed over are two different things: `self.value` "
            "exists for that.",
            with_inputs(lambda self, query, key, value: (self.query(query), self.key(key), self.key(value))),
        ),
        Misconception(
            "query-and-key-swapped",
            "Query and key layers are swapped",
            "You send the queries through `self.key` and the keys through `self.query`. With fresh weights nobody would notice; with "
            "copied ones the result differs.",
            with_inputs(lambda self, query, key, value: (self.key(query), self.query(key), self.value(value))),
        ),
        Misconception(
            "everything-from-query",
            "Keys and values are made from the query",
            "You compute q, k and v from `query`, so this is always self-attention. Keys and values come from their own arguments, "
            "which may have another length.",
            variant(lambda self, query, key, value, mask=None: ref.MultiHeadAttention.forward(self, query, query, query, mask)),
        ),
        Misconception(
            "value-from-key",
            "The argument value is not used",
            "Your values are made from the argument `key`. Often both are the same tensor, but a caller may pass different ones.",
            with_inputs(lambda self, query, key, value: (self.query(query), self.key(key), self.value(key))),
        ),
        Misconception(
            "scaled-by-model-size",
            "Scaled by the size of the model",
            "You divide the scores by √D. The dot products are taken inside a head, over d = D / H numbers: that is the size that must "
            "be made up for.",
            with_scores(lambda self, q: q / self.heads**0.5),
        ),
        Misconception(
            "no-scale",
            "The scores are not scaled",
            "You do not divide the scores by the root of a head's size. Their spread grows with it, and softmax becomes a hard choice.",
            with_scores(lambda self, q: q * q.shape[-1] ** 0.5),
        ),
        Misconception(
            "scaled-twice",
            "Scaled twice",
            "You scale the scores, and so does the attention of unit 03. Once is enough.",
            with_scores(lambda self, q: q / q.shape[-1] ** 0.5),
        ),
        Misconception(
            "scaled-by-heads",
            "Scaled by the number of heads",
            "You divide by √H. What makes dot products large is the number of features that are summed: the size of a head, not how "
            "many heads there are.",
            with_scores(lambda self, q: q * (q.shape[-1] / self.heads) ** 0.5),
        ),
        Misconception(
            "view-for-transpose",
            "A view cannot change the order of axes",
            "You go from (B, T, D) to (B, H, T, d) by `view` alone. The shape is right, but each head now holds a few whole tokens "
            "instead of a slice of every token, and masks hide the wrong things. Use split_heads.",
            with_views(view_split, ref.merge_heads),
        ),
        Misconception(
            "view-there-and-back",
            "A view cannot change the order of axes",
            "You split by `view` and merge by `view`. The two undo each other, which is why it looks right, but in between each head "
            "held a few whole tokens instead of a slice of every token.",
            with_views(view_split, _merge_by_view),
        ),
        Misconception(
            "merged-by-view",
            "Merged without moving the heads back",
            "You ask `view` or `reshape` for (B, T, D) while the heads still stand in front of the time: the features of different "
            "time steps get mixed. Use merge_heads.",
            with_views(ref.split_heads, _merge_by_view),
        ),
        Misconception(
            "interleaved",
            "Every H-th feature instead of a slice",
            "Your heads take every H-th feature (the axis was cut into (d, H)). A fresh model would learn as well, but weights from "
            "elsewhere would not fit: use split_heads.",
            with_views(_split_interleaved, lambda x: x.permute(0, 2, 3, 1).flatten(2)),
        ),
        Misconception(
            "mask-ignored",
            "The mask is accepted and not used",
            "Your result does not depend on the mask. An argument that is accepted and dropped is worse than none: padding and future "
            "are attended to, and nobody is told.",
            with_mask(lambda mask: None),
        ),
        Misconception(
            "mask-inverted",
            "The mask the other way round",
            "In this course True means “may attend” (as in torch's scaled_dot_product_attention; nn.MultiheadAttention has it the "
            "other way round). You hide what should be seen.",
            with_mask(lambda mask: ~mask),
        ),
        Misconception(
            "zero-score",
            "A score of 0 is not no weight",
            "You set masked scores to 0. exp(0) is 1, which is more than a valid score of -50 gets. Which score has the exponential 0?",
            with_fill(0.0),
        ),
        Misconception(
            "fill-too-weak",
            "The fill is not low enough",
            "You set masked scores to a number that is low, but not lower than every score. A valid score may be -50: then the masked "
            "keys win.",
            with_fill(-10.0),
        ),
        Misconception(
            "sign-lost",
            "1e-9 is almost 0",
            "You fill with 1e-9, a tiny positive number. The minus was meant in front of the whole: -1e9.",
            with_fill(1e-9),
            syntax=lambda tree: any(
                isinstance(n, ast.Constant) and isinstance(n.value, float) and 0 < n.value < 1e-3 for n in ast.walk(tree)
            ),
        ),
        Misconception(
            "nothing-to-look-at",
            "A row with nothing to look at",
            "Where a query may look at nothing, all its scores are -inf, and softmax makes NaN of them. The rule of this course: such "
            "a row of weights is all zeros (masked_softmax of unit 03 does that).",
            with_fill(-torch.inf),
        ),
        Misconception(
            "spread-over-nothing",
            "A row with nothing to look at",
            "Where a query may look at nothing, you spread its attention evenly over the forbidden keys: all scores are equally low. "
            "The rule of this course: such a row of weights is all zeros.",
            with_fill(-1e9),
        ),
        Misconception(
            "masked-after-softmax",
            "Masked after the softmax",
            "You set weights to 0 after the softmax. What they had is missing now: the rows no longer sum to one. Mask the scores.",
            variant(_weights_times_mask),
        ),
        Misconception(
            "softmax-over-queries",
            "Normalised over the queries",
            "Your columns sum to one instead of your rows. Each query shares out its attention among the keys: softmax runs along the "
            "last axis.",
            with_fill(-torch.inf, dim=-2),
        ),
        Misconception(
            "weights-averaged",
            "The weights are averaged over the heads",
            "Your weights are (B, T, S), the mean over the heads (as nn.MultiheadAttention does by default). Asked for are the weights "
            "of each head: (B, H, T, S).",
            with_result(lambda self, output, weights: finished(self, output, weights.mean(1))),
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return the output alone. Return both: output (B, T, D), weights (B, H, T, S).",
            with_result(lambda self, output, weights: finished(self, output, weights)[0]),
        ),
        Misconception(
            "not-merged",
            "The heads were not merged",
            "You return the heads' outputs (B, H, T, d). Two steps are missing: put the heads side by side, then apply `self.out`.",
            with_result(lambda self, output, weights: (output, weights)),
        ),
    ),
)

# from_torch ----------------------------------------------------------------------------------------------------------


def torch_state(draw: Draw, dim: int) -> dict[str, Tensor]:
    return {
        "in_proj_weight": draw.normal(3 * dim, dim, scale=1.2 / dim**0.5),
        "in_proj_bias": draw.normal(3 * dim),
        "out_proj.weight": draw.normal(dim, dim, scale=1.0 / dim**0.5),
        "out_proj.bias": draw.normal(dim),
    }


def copy_cases(draw: Draw) -> list[Case]:
    batch, queries, keys, heads, size = draw.sizes(5, low=2, high=6)
    dim = heads * size

    def case(label: str, heads: int, *masks: Tensor, group: str = "basic") -> Case:
        toy = Toy("torch_attention", torch_state(draw, dim), {"dim": dim, "heads": heads})
        inputs = (draw.normal(batch, queries, dim), draw.normal(batch, keys, dim), draw.normal(batch, keys, dim))
        return Case(label, args=(toy,), then=(Call((*inputs, *masks)),), group=group)

    return [
        case(f"{heads} heads of {size}", heads),
        case(f"{size} heads of {heads}", size),
        case("with a mask (T, S)", heads, draw.mask(queries, keys)),
        case("one head", 1, group="edge"),
        case("as many heads as features", dim, group="edge"),
    ]


def _is_own_module(case: Case, got: Outcome) -> str | None:
    if isinstance(got.value, Opaque) and got.value.type == "MultiHeadAttention":
        return None
    return f"what comes back is {got.value.type if isinstance(got.value, Opaque) else type(got.value).__name__}, not a MultiHeadAttention"


def copying(
    pick: Callable[[nn.MultiheadAttention], tuple[Any, Any]] = lambda mha: (mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3)),
    heads: Callable[[nn.MultiheadAttention], int] = lambda mha: mha.num_heads,
    out: Callable[[Tensor], Tensor] = lambda weight: weight,
) -> Callable[[nn.MultiheadAttention], ref.MultiHeadAttention]:
    """from_torch with another choice of rows, of the number of heads, or of the output weights."""

    def copy(mha: nn.MultiheadAttention) -> ref.MultiHeadAttention:
        made = ref.MultiHeadAttention(mha.embed_dim, heads(mha))
        with torch.no_grad():
            for layer, weight, bias in zip((made.query, made.key, made.value), *pick(mha), strict=True):
                layer.weight.copy_(weight)
                layer.bias.copy_(bias)
            made.out.weight.copy_(out(mha.out_proj.weight))
            made.out.bias.copy_(mha.out_proj.bias)
        return made

    return copy


def ordered(*order: int) -> Callable[[nn.MultiheadAttention], tuple[Any, Any]]:
    """The three thirds in another order."""
    return lambda mha: tuple([packed.chunk(3)[i] for i in order] for packed in (mha.in_proj_weight, mha.in_proj_bias))  # type: ignore[return-value]


def _per_head(mha: nn.MultiheadAttention) -> tuple[Any, Any]:
    heads = mha.num_heads
    weights = mha.in_proj_weight.view(heads, 3, -1, mha.embed_dim).transpose(0, 1).reshape(3, mha.embed_dim, mha.embed_dim)
    return weights, mha.in_proj_bias.view(heads, 3, -1).transpose(0, 1).reshape(3, mha.embed_dim)


FROM_TORCH = Exercise(
    name="from_torch",
    kind="callable",
    points=4,
    section="The same as torch's own",
    reference=ref.from_torch,
    returns=("a MultiHeadAttention",),
    cases=copy_cases,
    tolerance=2e-5,
    properties=(Property("returns a MultiHeadAttention", _is_own_module),),
    misconceptions=(
        Misconception(
            "returned-torchs-own",
            "torch's module came back",
            "You return the module that you were given. Asked for is one of your own, with the same numbers in it.",
            lambda mha: mha,
        ),
        Misconception(
            "returns-nothing",
            "Nothing is returned",
            "The answer returns None. Is the `return` missing?",
            lambda mha: None,
        ),
        Misconception(
            "key-query-value",
            "Query and key have changed places",
            "You read the packed matrix as key, query, value. Its documentation, or the source of nn.MultiheadAttention, tells which "
            "third comes first.",
            copying(ordered(1, 0, 2)),
        ),
        Misconception(
            "value-first",
            "The thirds are in another order",
            "You read the packed matrix as value, key, query. Its documentation, or the source of nn.MultiheadAttention, tells which "
            "third comes first.",
            copying(ordered(2, 1, 0)),
        ),
        Misconception(
            "transposed-weights",
            "The weights are transposed",
            "You transpose the matrices. They are square, so nothing complains. But torch stores (out, in) in nn.Linear and in the "
            "packed matrix alike: nothing has to be turned.",
            copying(lambda mha: ([w.mT for w in mha.in_proj_weight.chunk(3)], mha.in_proj_bias.chunk(3)), out=lambda weight: weight.mT),
        ),
        Misconception(
            "transposed-inputs-only",
            "Some of the weights are transposed",
            "You transpose the query, key and value matrices. They are square, so nothing complains. But torch stores (out, in) in "
            "nn.Linear and in the packed matrix alike: nothing has to be turned.",
            copying(lambda mha: ([w.mT for w in mha.in_proj_weight.chunk(3)], mha.in_proj_bias.chunk(3))),
        ),
        Misconception(
            "transposed-output",
            "W_O is transposed",
            "You transpose the output matrix. It is square, so nothing complains. But torch stores (out, in) in every nn.Linear: "
            "nothing has to be turned.",
            copying(out=lambda weight: weight.mT),
        ),
        Misconception(
            "packed-per-head",
            "Packed head by head",
            "You read the packed rows as [head, 3, d]: first query, key and value of head 0, then of head 1. Some libraries pack so; "
            "torch has all queries first, then all keys, then all values.",
            copying(_per_head),
        ),
        Misconception(
            "every-third-row",
            "Every third row",
            "You take every third row for each of the three. The packed matrix is three blocks on top of one another: contiguous thirds.",
            copying(lambda mha: ([mha.in_proj_weight[i::3] for i in range(3)], [mha.in_proj_bias[i::3] for i in range(3)])),
        ),
        Misconception(
            "same-rows-three-times",
            "The same rows for all three",
            "Query, key and value all get the first third of the packed matrix.",
            copying(ordered(0, 0, 0)),
        ),
        Misconception(
            "one-head",
            "All heads in one",
            "Your module has one head. The weights fit whatever the number of heads, so nothing complains, but the scores are taken "
            "over all features at once. The original knows how many heads it has.",
            copying(heads=lambda mha: 1),
        ),
        Misconception(
            "head-size-for-heads",
            "The size of a head taken for their number",
            "You make `head_dim` heads. `num_heads` is how many there are, `head_dim` how large each one is.",
            copying(heads=lambda mha: mha.embed_dim // mha.num_heads),
        ),
        Misconception(
            "biases-forgotten",
            "The biases are not copied",
            "You copy `in_proj_weight`, but never look at `in_proj_bias`. torch starts these at 0, so on a fresh module only your own "
            "random biases would differ; on a trained one everything does.",
            syntax=lambda tree: syntax.uses(tree, "in_proj_weight") and not _mentions(tree, "in_proj_bias"),
        ),
        Misconception(
            "output-forgotten",
            "W_O is not copied",
            "You copy the input projections, but never look at `out_proj`: your output layer keeps its random start.",
            syntax=lambda tree: _mentions(tree, "in_proj_weight") and not _mentions(tree, "out_proj"),
        ),
        Misconception(
            "nothing-copied",
            "Nothing is copied",
            "You make a module of the right size, but it keeps its random weights. The numbers of the original are in "
            "`in_proj_weight`, `in_proj_bias` and `out_proj`.",
            syntax=lambda tree: not _mentions(tree, "in_proj_weight", "state_dict", "parameters", "named_parameters"),
        ),
    ),
)


def _mentions(tree: ast.AST, *names: str) -> bool:
    """Does the answer reach for one of these, as a name or inside a string (`state["out_proj.weight"]`)?"""
    strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return syntax.uses(tree, *names) or any(name in text for name in names for text in strings)


# slides --------------------------------------------------------------------------------------------------------------

SLIDE_PIECES = Choice(
    name="slide_pieces",
    points=2,
    section="What a head sees",
    right="c",
    options={
        "a": Option(
            "Nothing: that is multi-head attention.",
            "Then head 0 could never look at the last feature. Try it: change that feature, and ask which of torch's heads give other "
            "weights.",
            "trusts-the-slide",
        ),
        "b": Option(
            "The pieces must overlap, otherwise the heads cannot exchange information.",
            "No implementation has overlapping heads, and none needs them: something else lets every head see everything.",
            "overlapping-pieces",
        ),
        "c": Option(
            "Each head should get a learned projection of the whole embedding, and a last matrix W_O should mix what the heads bring back.",
            "Right. It is the projected queries, keys and values that are split; each of their slices depends on every feature of the "
            "input. And W_O is what turns the concatenation into one vector.",
        ),
        "d": Option(
            "The outputs of the heads should be averaged, not concatenated.",
            "Averaging would throw away which head said what. They are concatenated; what is missing on the slide stands before and "
            "after that.",
            "averaged-heads",
        ),
    },
)

SLIDE_INDEX = Choice(
    name="slide_index",
    points=2,
    section="Head by head",
    right="b",
    options={
        "a": Option(
            "The index i of the head must not be on the query: all heads share it.",
            "Each head has a query of its own. That is the point of several heads: they ask different things.",
            "shared-query",
        ),
        "b": Option(
            "The key has the index of the query: it must be the key of step t.",
            "Right. As printed, the score does not depend on t at all: every step would get the same weight, 1 / T, whatever the "
            "vectors are.",
        ),
        "c": Option(
            "The product must be taken over all heads: a sum over i is missing.",
            "Then there would be one score for all heads, hence one set of weights: a single head. The heads compute theirs separately.",
            "summed-over-heads",
        ),
        "d": Option(
            "Nothing but the scale 1/√d is missing.",
            "The scale is missing, too. But put in what is printed: which steps t would get more weight than others?",
            "trusts-the-slide",
        ),
    },
)

SLIDE_SPEED = Choice(
    name="slide_speed",
    points=1,
    section="What heads cost",
    right="d",
    options={
        "a": Option(
            "Right: 8 heads run on 8 processors, so the layer takes an eighth of the time.",
            "One large matrix product is spread over the processors just as well. The lecture measures it: with more heads the layer "
            "does not get faster.",
            "heads-for-speed",
        ),
        "b": Option(
            "Right: each head works on D / H features, so the layer needs only 1 / H of the multiplications.",
            "Each head does 1 / H of the work, and there are H heads. Count them all.",
            "counts-one-head",
        ),
        "c": Option(
            "Wrong: H heads cost H times as much as one, and that is the price of looking at several things.",
            "Each of the H heads is H times smaller. The product of the two is the same as before.",
            "heads-cost-more",
        ),
        "d": Option(
            "Wrong: the multiplications stay the same; what one gains is several sets of weights at once.",
            "Right. Same parameters, same multiplications, but H different patterns of attention instead of one.",
        ),
    },
)

UNIT = Unit(
    name="05_multi_head_attention",
    title="Multi-head attention",
    exercises=(SPLIT, MERGE, MULTI_HEAD, FROM_TORCH, SLIDE_PIECES, SLIDE_INDEX, SLIDE_SPEED),
)
