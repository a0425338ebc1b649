"""The KV cache: `CachedAttention`. Causal self-attention, one step at a time."""

from typing import Any

from torch import Tensor

from course_utils import transformer_decoder as ref
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden
from course_utils.judging.properties import no_nan
from course_utils.multi_head_attention import merge_heads, split_heads

from ._caches import Cached, KeepsQueries, Recomputes, cached, forgets, older, saves_the_cache
from ._shared import returns_tuple, state


def cases(draw: Draw) -> list[Case]:
    b, c, t = draw.sizes(3, low=2, high=6)
    heads, width = draw.integer(2, 3), 3 + 2 * draw.integer(0, 1)  # not 4: 4 / 2 is its root
    dim = heads * width

    def drawn() -> dict[str, Tensor]:
        return {name: 2 * v for name, v in state(draw, ref.CachedAttention(dim, heads)).items()}

    init, weights, others = (dim, heads), drawn(), drawn()

    def steps(batch: int, count: int) -> tuple[Call, ...]:
        return tuple(Call((draw.normal(batch, 1, dim),), method="step") for _ in range(count))

    def case(label: str, calls: tuple[Call, ...], group: str = "basic", **more: Any) -> Case:
        first, made = calls[0].args, dict[str, Any](init=init, weights=weights)
        return Case(label, first, group=group, method="step", then=calls[1:], **made, **more)

    def around(call: Call) -> tuple[Call, ...]:
        return (*steps(b, 2), call, *steps(b, 2))

    reset, saved = Call(method="reset"), Call(method="state_dict")
    another = Call(init, method="__class__")
    changed = Call((others, False), method="load_state_dict")
    return [
        case("the first step", steps(b, 1)),
        case("two steps", steps(b, 2)),
        case(f"{t + 2} steps", steps(c, t + 2)),
        case("a new sequence after reset()", (*steps(b, 3), reset, *steps(b, 2))),
        case("gradients of three steps", steps(b, 3), gradients=True),
        case("one sentence, 9 steps", steps(1, 9), "edge"),
        case("another batch size after reset()", (*steps(b, 2), reset, *steps(b + 1, 3)), "edge"),
        case(
            "reset() before the first step and twice",
            (*steps(c, 1), reset, reset, *steps(c, 2)),
            "edge",
        ),
        case("the state_dict after two steps", (*steps(b, 2), saved), "edge"),
        case("another object is made between two steps", around(another), "edge"),
        case(
            "the weights change after two steps: what is kept stays as it was",
            around(changed),
            "edge",
        ),
    ]


EXERCISE = Exercise(
    name="CachedAttention",
    points=5,
    section="The KV cache",
    kind="module",
    reference=ref.CachedAttention,
    returns=("output (B, 1, D)",),
    cases=cases,
    properties=(no_nan(),),
    tolerance=1e-4,
    forbidden=(
        Forbidden(
            "Here you write the attention yourself: nn.MultiheadAttention and its function are "
            "not allowed.",
            names=("MultiheadAttention", "multi_head_attention_forward"),
        ),
    ),
)


EXERCISE.misconception(
    "nothing-cached",
    "Every step sees only itself",
    "From the second step on your result does not depend on earlier steps: the newest key and "
    "value replace the old ones instead of joining them.",
    cached(join=lambda self, old, new: new),
)

EXERCISE.misconception(
    "newest-missing",
    "The newest step does not see itself",
    "You attend to the cache and add the newest key and value afterwards. The diagonal of a "
    "causal mask is allowed: a step may look at itself, so it must be in the cache when it looks.",
    cached(attend=lambda self, q, k, v: Cached.attend(self, q, older(k), older(v))),
)

EXERCISE.misconception(
    "values-from-keys",
    "Keys are cached as values",
    "Your cache of values holds keys. The first step shows it already: with one key its weight is "
    "1, and the output should be the projected value.",
    cached(kept=lambda self, key, value: Cached.kept(self, key, key)),
)

EXERCISE.misconception(
    "keys-from-values",
    "Values are cached as keys",
    "Your cache of keys holds values. The first step cannot show it (one weight, always 1); from "
    "the second on the scores are wrong.",
    cached(kept=lambda self, key, value: Cached.kept(self, value, value)),
)

EXERCISE.misconception(
    "inputs-not-projected",
    "The inputs are cached as they are",
    "You cache the inputs and use them as keys and values. They have to pass through `key` and "
    "`value` first: those layers learned what to be found by and what to give.",
    cached(project=lambda self, x: [self.split(y) for y in (self.query(x), x, x)]),
)

EXERCISE.misconception(
    "wrong-axis",
    "Joined along the wrong axis",
    "Old and new keys are joined along an axis that is not time, so the shapes no longer fit at "
    "the second step. Keys are (B, H, t, d): which of the four grows?",
    *(cached(axis=axis) for axis in (0, 1, 3)),
)

EXERCISE.misconception(
    "never-resets",
    "reset() does not forget",
    "After reset() your attention still sees the sequence before it. Both caches have to be empty "
    "again.",
    cached(reset=forgets()),
)

EXERCISE.misconception(
    "resets-half",
    "reset() forgets only half",
    "After reset() the values are gone but the keys are not (or the other way round): the two "
    "caches have different lengths.",
    cached(reset=forgets("values")),
)

EXERCISE.misconception(
    "first-key-only",
    "Masked down to the first step",
    "Every step of yours looks at the first step only. A triangular mask built for one row is [1, "
    "0, 0, …]: it lets the newest query see what the *first* one may see. Does a step-by-step "
    "decoder need a mask at all?",
    cached(attend=lambda self, q, k, v: v[:, :, :1].expand_as(q)),
)

EXERCISE.misconception(
    "no-scale",
    "The scores are not scaled",
    "You leave out the division by the root of the key size, so the softmax is too sharp.",
    cached(attend=lambda self, q, k, v: (q @ k.mT).softmax(-1) @ v),
)

EXERCISE.misconception(
    "scaled-by-dim",
    "Scaled by the whole width",
    "You divide by the root of D. Each head works with d = D / H features, and its scores are "
    "sums over d of them.",
    cached(attend=lambda self, q, k, v: (q @ k.mT / self.query.out_features**0.5).softmax(-1) @ v),
)

EXERCISE.misconception(
    "one-head",
    "One large head",
    "You attend with all D features at once. There are `heads` attentions side by side, each with "
    "a slice of the features: split, attend, merge.",
    cached(split=lambda self, x: split_heads(x, 1)),
)

EXERCISE.misconception(
    "no-softmax",
    "Scores used as weights",
    "The scores never become weights: there is no softmax between them and the values.",
    cached(attend=lambda self, q, k, v: q @ k.mT / q.shape[-1] ** 0.5 @ v),
)

EXERCISE.misconception(
    "no-output-projection",
    "The last layer is missing",
    "You return the merged heads. As in MultiHeadAttention they pass through `out` at the end.",
    cached(finish=lambda self, heads: merge_heads(heads)),
)

EXERCISE.misconception(
    "all-steps-returned",
    "All steps are computed again",
    "You cache queries as well and return the outputs of all steps so far. Old outputs cannot "
    "change any more: only the newest query is needed, and the result is (B, 1, D).",
    *(cached(KeepsQueries, causal=causal) for causal in (True, False)),
    *(cached(Recomputes, causal=causal) for causal in (False, True)),
)

EXERCISE.misconception(
    "returns-weights-too",
    "More than the output",
    "You return a tuple. `step` returns its output alone, (B, 1, D).",
    syntax=lambda tree: returns_tuple(tree, "step"),
)

EXERCISE.misconception(
    "everything-again",
    "Keys and values are computed again",
    "You keep the inputs and compute the keys and values of all of them at every step. The numbers "
    "are right, but nothing is saved: the point of a cache is that each key and each value is "
    "computed once. Keep those, not the inputs.",
    cached(Recomputes, attend=lambda self, q, k, v: Cached.attend(self, q[:, :, -1:], k, v)),
)


@EXERCISE.misconception(
    "cache-on-the-class",
    "One cache for all objects",
    "Your cache belongs to the class, so that all layers of a model share it: when another object "
    "is made, this one forgets. Set it on the object, in `reset`.",
)
class OnTheClass(Cached):
    shared: Any = None

    def reset(self) -> None:
        OnTheClass.shared = None

    def step(self, x: Tensor) -> Tensor:
        self.keys, self.values = OnTheClass.shared or (None, None)
        out = super().step(x)
        OnTheClass.shared = self.keys, self.values
        return out


EXERCISE.misconception(
    "cache-in-the-state",
    "The cache is saved with the weights",
    "After a step your state_dict also holds the cache: it would be saved with the model, and "
    "would not fit when it is loaded. A plain attribute is not saved, nor is a buffer that is "
    "registered with `persistent=False`.",
    symptom=lambda case, got: saves_the_cache(case, got, EXERCISE.tolerance),
)
