"""Multi-head attention: `MultiHeadAttention`. Attention in `heads` subspaces at once."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import multi_head_attention as ref
from course_utils.exercises.multi_head_attention import _shared as shared
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import rows_sum_to_one
from course_utils.masking import masked_attention


def low_scores(draw: Draw, heads: int, size: int) -> dict[str, Tensor]:
    """A state that makes every score about -50: a masked score of 0 or -10 would win."""
    state = shared.weights_of(draw, heads * size, scale=0.3)
    direction = F.normalize(draw.normal(heads, size), dim=-1).flatten()  # a unit vector per head
    state["query.bias"] = (50 * size**0.5) ** 0.5 * direction
    state["key.bias"] = -state["query.bias"]
    return state


def cases(draw: Draw) -> list[Case]:
    batch, queries, keys, heads, size = draw.sizes(5, low=2, high=6)
    dim = heads * size

    def inputs() -> tuple[Tensor, ...]:
        return tuple(draw.normal(batch, steps, dim) for steps in (queries, keys, keys))

    def case(label: str, *args: Tensor, **fields: Any) -> Case:
        fields = {"init": (dim, heads), "weights": shared.weights_of(draw, dim)} | fields
        return Case(label, args=args, **fields)

    nothing = draw.mask(batch, 1, queries, keys)
    nothing[0, 0, 1] = False  # the second query of the first sequence has nothing to look at
    x = draw.normal(batch, queries, dim)
    low = low_scores(draw, heads, size)
    padding, per_head = draw.mask(batch, 1, 1, keys), draw.mask(batch, heads, queries, keys)
    some = draw.mask(batch, 1, queries, keys)
    return [
        case(f"{heads} heads, {queries} queries, {keys} keys", *inputs()),
        case("self-attention: query, key and value are one tensor", x, x, x),
        case("gradients arrive", *inputs(), gradients=True),
        case("a mask (T, S)", *inputs(), draw.mask(queries, keys), gradients=True),
        case("a padding mask (B, 1, 1, S)", *inputs(), kwargs={"mask": padding}),
        case("another mask for every head", *inputs(), per_head),
        case("a mask, and scores near -50", *inputs(), some, weights=low),
        case("one head", *inputs(), init=(dim, 1), group="edge"),
        case("one key", x, x[:, :1], x[:, 1:2], group="edge"),
        case("a query that may look at nothing", *inputs(), nothing, gradients=True, group="edge"),
    ]


EXERCISE = Exercise(
    name="MultiHeadAttention",
    kind="module",
    points=5,
    section="The module in ten lines",
    reference=ref.MultiHeadAttention,
    returns=("output (B, T, D)", "weights (B, H, T, S)"),
    cases=cases,
    tolerance=1e-4,
    properties=(rows_sum_to_one(1, zero_rows=True),),
    picture=weights_picture(1),
    forbidden=(
        Forbidden(
            "Here you build multi-head attention yourself: nn.MultiheadAttention and "
            "F.multi_head_attention_forward are not allowed. masked_attention of unit 03 and "
            "your split_heads and merge_heads are.",
            ("MultiheadAttention", "multi_head_attention_forward", "_native_multi_head_attention"),
        ),
    ),
)


def projected(query: str, key: str, value: str) -> Callable[..., tuple[Tensor, ...]]:
    """The three inputs through the layers of these names."""
    return lambda self, *inputs: tuple(
        getattr(self, layer)(x) for layer, x in zip((query, key, value), inputs, strict=True)
    )


def merged_by(merge: Callable[[Tensor], Tensor]) -> Callable[..., tuple[Tensor, Any]]:
    return lambda self, output, weights: (self.out(merge(output)), weights)


project, finish = projected("query", "key", "value"), merged_by(ref.merge_heads)


def variant(
    inputs: Callable[..., tuple[Tensor, ...]] = project,
    split: Callable[[Tensor, int], Tensor] = ref.split_heads,
    attend: shared.Attend = masked_attention,
    result: Callable[[Any, Tensor, Tensor], Any] = finish,
) -> type[ref.MultiHeadAttention]:
    """The module, step by step, with one step replaced; `result` is made of the heads' outputs
    (B, H, T, d) and the weights."""

    def forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Any = None) -> Any:
        q, k, v = (split(x, self.heads) for x in inputs(self, query, key, value))
        return result(self, *attend(q, k, v, mask))

    return type("Variant", (ref.MultiHeadAttention,), {"forward": forward})


EXERCISE.misconception(
    "no-output-projection",
    "W_O is missing",
    "You return the merged heads as they are. Without `self.out` every head can only write to its "
    "own slice of the features, and nothing mixes what the heads found.",
    variant(result=lambda self, output, weights: (ref.merge_heads(output), weights)),
)

EXERCISE.misconception(
    "embedding-cut-up",
    "The input is split without being projected",
    "You cut the input itself into heads. Then head 0 only ever sees the first few features. Each "
    "head should see a learned projection of the whole vector: that is what `self.query`, "
    "`self.key` and `self.value` are for.",
    variant(inputs=lambda self, query, key, value: (query, key, value)),
)

EXERCISE.misconception(
    "one-large-head",
    "The features are never split",
    "All features together make one large head, whatever `heads` says: every query has a single "
    "set of weights. Each head needs its own slice of the projected features, its own scores and "
    "its own softmax.",
    variant(split=lambda x, heads: x, result=merged_by(lambda output: output)),
    variant(split=lambda x, heads: x.unsqueeze(1), result=merged_by(lambda x: x.squeeze(1))),
)

EXERCISE.misconception(
    "one-projection",
    "One projection for everything",
    "You send query, key and value through the same layer. What a token looks for, what it offers "
    "and what it hands over are three different things: three layers.",
    variant(inputs=projected("query", "query", "query")),
)

EXERCISE.misconception(
    "value-by-key-layer",
    "The values go through the keys' layer",
    "Your values are made with `self.key`. What a token is found by and what it hands over are "
    "two different things: `self.value` exists for that.",
    variant(inputs=projected("query", "key", "key")),
)

EXERCISE.misconception(
    "query-and-key-swapped",
    "Query and key layers are swapped",
    "You send the queries through `self.key` and the keys through `self.query`. With fresh "
    "weights nobody would notice; with copied ones the result differs.",
    variant(inputs=projected("key", "query", "value")),
)

EXERCISE.misconception(
    "everything-from-query",
    "Keys and values are made from the query",
    "You compute q, k and v from `query`, so this is always self-attention. Keys and values come "
    "from their own arguments, which may have another length.",
    variant(inputs=lambda self, query, key, value: project(self, query, query, query)),
)

EXERCISE.misconception(
    "value-from-key",
    "The argument value is not used",
    "Your values are made from the argument `key`. Often both are the same tensor, but a caller "
    "may pass different ones.",
    variant(inputs=lambda self, query, key, value: project(self, query, key, key)),
)
EXERCISE.misconception(
    "view-for-transpose",
    "A view cannot change the order of axes",
    "You go from (B, T, D) to (B, H, T, d) by `view` alone. The shape is right, but each head now "
    "holds a few whole tokens instead of a slice of every token, and masks hide the wrong things. "
    "Use split_heads.",
    variant(split=shared.split_by_view),
)

EXERCISE.misconception(
    "view-there-and-back",
    "A view cannot change the order of axes",
    "You split by `view` and merge by `view`. The two undo each other, which is why it looks "
    "right, but in between each head held a few whole tokens instead of a slice of every token.",
    variant(split=shared.split_by_view, result=merged_by(shared.merge_by_view)),
)

EXERCISE.misconception(
    "merged-by-view",
    "Merged without moving the heads back",
    "You ask `view` or `reshape` for (B, T, D) while the heads still stand in front of the time: "
    "the features of different time steps get mixed. Use merge_heads.",
    variant(result=merged_by(shared.merge_by_view)),
)

EXERCISE.misconception(
    "interleaved",
    "Every H-th feature instead of a slice",
    "Your heads take every H-th feature (the axis was cut into (d, H)). A fresh model would learn "
    "as well, but weights from elsewhere would not fit: use split_heads.",
    variant(split=shared.split_interleaved, result=merged_by(shared.merge_interleaved)),
)

shared.add_attention_mistakes(EXERCISE, lambda attend: variant(attend=attend))

EXERCISE.misconception(
    "nothing-to-look-at",
    "A row with nothing to look at",
    "Where a query may look at nothing, all its scores are -inf, and softmax makes NaN of them. "
    "The rule of this course: such a row of weights is all zeros (masked_softmax of unit 03 does "
    "that).",
    variant(attend=shared.filled(-torch.inf)),
)

EXERCISE.misconception(
    "spread-over-nothing",
    "A row with nothing to look at",
    "Where a query may look at nothing, you spread its attention evenly over the forbidden keys: "
    "all scores are equally low. The rule of this course: such a row of weights is all zeros.",
    variant(attend=shared.filled(-1e9)),
)

EXERCISE.misconception(
    "weights-averaged",
    "The weights are averaged over the heads",
    "Your weights are (B, T, S), the mean over the heads (as nn.MultiheadAttention does by "
    "default). Asked for are the weights of each head: (B, H, T, S).",
    variant(result=lambda self, output, weights: finish(self, output, weights.mean(1))),
)

EXERCISE.misconception(
    "weights-missing",
    "The weights are missing",
    "You return the output alone. Return both: output (B, T, D), weights (B, H, T, S).",
    variant(result=lambda self, output, weights: finish(self, output, weights)[0]),
)

EXERCISE.misconception(
    "not-merged",
    "The heads were not merged",
    "You return the heads' outputs (B, H, T, d). Two steps are missing: put the heads side by "
    "side, then apply `self.out`.",
    variant(result=lambda self, output, weights: (output, weights)),
)
