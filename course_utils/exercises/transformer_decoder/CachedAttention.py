"""The KV cache: `CachedAttention`. Causal self-attention, one step at a time."""

import math
from typing import Any

import torch
from torch import Tensor

from course_utils import transformer_decoder as ref
from course_utils.exercises.transformer_decoder._shared import returns_tuple, state
from course_utils.judging.compare import difference
from course_utils.judging.exercise import Call, Case, Draw, Exercise, Forbidden, Outcome
from course_utils.judging.properties import no_nan
from course_utils.judging.runner import play
from course_utils.masking import causal_mask, masked_attention
from course_utils.multi_head_attention import merge_heads, split_heads


def cases(draw: Draw) -> list[Case]:
    b, c, t = draw.sizes(3, low=2, high=6)
    heads, width = draw.integer(2, 3), 3 + 2 * draw.integer(0, 1)  # not 4: 4 / 2 is its root
    dim = heads * width

    def drawn() -> dict[str, Tensor]:
        return {name: 2 * v for name, v in state(draw, ref.CachedAttention(dim, heads)).items()}

    init, weights, others = (dim, heads), drawn(), drawn()

    def steps(batch: int, count: int) -> tuple[Call, ...]:
        return tuple(Call((draw.normal(batch, 1, dim),), method="step") for _ in range(count))

    def case(label: str, calls: tuple[Call, ...], **fields: Any) -> Case:
        return Case(
            label,
            args=calls[0].args,
            method="step",
            then=calls[1:],
            init=init,
            weights=weights,
            **fields,
        )

    reset, saved = Call(method="reset"), Call(method="state_dict")
    another, changed = (
        Call(init, method="__class__"),
        Call((others, False), method="load_state_dict"),
    )
    return [
        case("the first step", steps(b, 1)),
        case("two steps", steps(b, 2)),
        case(f"{t + 2} steps", steps(c, t + 2)),
        case("a new sequence after reset()", (*steps(b, 3), reset, *steps(b, 2))),
        case("gradients of three steps", steps(b, 3), gradients=True),
        case("one sentence, 9 steps", steps(1, 9), group="edge"),
        case(
            "another batch size after reset()",
            (*steps(b, 2), reset, *steps(b + 1, 3)),
            group="edge",
        ),
        case(
            "reset() before the first step and twice",
            (*steps(c, 1), reset, reset, *steps(c, 2)),
            group="edge",
        ),
        case("the state_dict after two steps", (*steps(b, 2), saved), group="edge"),
        case(
            "another object is made between two steps",
            (*steps(b, 2), another, *steps(b, 2)),
            group="edge",
        ),
        case(
            "the weights change after two steps: what is kept stays as it was",
            (*steps(b, 2), changed, *steps(b, 2)),
            group="edge",
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


class Cached(ref.CachedAttention):
    """The right answer in pieces, each of which a variant can replace."""

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (
            split_heads(self.query(x), self.heads),
            split_heads(self.key(x), self.heads),
            split_heads(self.value(x), self.heads),
        )

    def remember(self, key: Tensor, value: Tensor) -> None:
        self.keys = key if self.keys is None else torch.cat([self.keys, key], dim=2)
        self.values = value if self.values is None else torch.cat([self.values, value], dim=2)

    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        out: Tensor = masked_attention(query, keys, values)[0]
        return out

    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = self.out(merge_heads(self.attend(query, self.keys, self.values)))
        return out


@EXERCISE.misconception(
    "nothing-cached",
    "Every step sees only itself",
    "From the second step on your result does not depend on earlier steps: the newest key and "
    "value replace the old ones instead of joining them.",
)
class NoCache(Cached):
    def remember(self, key: Tensor, value: Tensor) -> None:
        self.keys, self.values = key, value


@EXERCISE.misconception(
    "newest-missing",
    "The newest step does not see itself",
    "You attend to the cache and add the newest key and value afterwards. The diagonal of a "
    "causal mask is allowed: a step may look at itself, so it must be in the cache when it looks.",
)
class NewestMissing(Cached):
    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        past = (
            (key, value) if self.keys is None or self.values is None else (self.keys, self.values)
        )
        out: Tensor = self.out(merge_heads(self.attend(query, *past)))
        self.remember(key, value)
        return out


@EXERCISE.misconception(
    "values-from-keys",
    "Keys are cached as values",
    "Your cache of values holds keys. The first step shows it already: with one key its weight is "
    "1, and the output should be the projected value.",
)
class ValuesFromKeys(Cached):
    def remember(self, key: Tensor, value: Tensor) -> None:
        super().remember(key, key)


@EXERCISE.misconception(
    "keys-from-values",
    "Values are cached as keys",
    "Your cache of keys holds values. The first step cannot show it (one weight, always 1); from "
    "the second on the scores are wrong.",
)
class KeysFromValues(Cached):
    def remember(self, key: Tensor, value: Tensor) -> None:
        super().remember(value, value)


@EXERCISE.misconception(
    "inputs-not-projected",
    "The inputs are cached as they are",
    "You cache the inputs and use them as keys and values. They have to pass through `key` and "
    "`value` first: those layers learned what to be found by and what to give.",
)
class RawInput(Cached):
    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (
            split_heads(self.query(x), self.heads),
            split_heads(x, self.heads),
            split_heads(x, self.heads),
        )


wrong_axis = EXERCISE.misconception(
    "wrong-axis",
    "Joined along the wrong axis",
    "Old and new keys are joined along an axis that is not time, so the shapes no longer fit at "
    "the second step. Keys are (B, H, t, d): which of the four grows?",
)


@wrong_axis
class JoinsBatch(Cached):
    axis = 0

    def remember(self, key: Tensor, value: Tensor) -> None:
        self.keys = key if self.keys is None else torch.cat([self.keys, key], dim=self.axis)
        self.values = (
            value if self.values is None else torch.cat([self.values, value], dim=self.axis)
        )


@wrong_axis
class JoinsHeads(JoinsBatch):
    axis = 1


@wrong_axis
class JoinsFeatures(JoinsBatch):
    axis = 3


@EXERCISE.misconception(
    "never-resets",
    "reset() does not forget",
    "After reset() your attention still sees the sequence before it. Both caches have to be empty "
    "again.",
)
class NeverResets(Cached):
    def reset(self) -> None:
        self.keys = getattr(self, "keys", None)
        self.values = getattr(self, "values", None)


@EXERCISE.misconception(
    "resets-half",
    "reset() forgets only half",
    "After reset() the values are gone but the keys are not (or the other way round): the two "
    "caches have different lengths.",
)
class KeysKept(Cached):
    def reset(self) -> None:
        self.keys = getattr(self, "keys", None)
        self.values = None


@EXERCISE.misconception(
    "first-key-only",
    "Masked down to the first step",
    "Every step of yours looks at the first step only. A triangular mask built for one row is [1, "
    "0, 0, …]: it lets the newest query see what the *first* one may see. Does a step-by-step "
    "decoder need a mask at all?",
)
class FirstKeyOnly(Cached):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return values[:, :, :1].expand_as(query)


@EXERCISE.misconception(
    "no-scale",
    "The scores are not scaled",
    "You leave out the division by the root of the key size, so the softmax is too sharp.",
)
class NoScale(Cached):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (query @ keys.mT).softmax(-1) @ values


@EXERCISE.misconception(
    "scaled-by-dim",
    "Scaled by the whole width",
    "You divide by the root of D. Each head works with d = D / H features, and its scores are "
    "sums over d of them.",
)
class ScaledByDim(Cached):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return (query @ keys.mT / math.sqrt(query.shape[-1] * self.heads)).softmax(-1) @ values


@EXERCISE.misconception(
    "one-head",
    "One large head",
    "You attend with all D features at once. There are `heads` attentions side by side, each with "
    "a slice of the features: split, attend, merge.",
)
class OneHead(Cached):
    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (
            split_heads(self.query(x), 1),
            split_heads(self.key(x), 1),
            split_heads(self.value(x), 1),
        )


@EXERCISE.misconception(
    "no-softmax",
    "Scores used as weights",
    "The scores never become weights: there is no softmax between them and the values.",
)
class ValuesSummed(Cached):
    """No softmax: the values are weighed by the raw scores."""

    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return query @ keys.mT / math.sqrt(query.shape[-1]) @ values


@EXERCISE.misconception(
    "no-output-projection",
    "The last layer is missing",
    "You return the merged heads. As in MultiHeadAttention they pass through `out` at the end.",
)
class NoOut(Cached):
    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = merge_heads(self.attend(query, self.keys, self.values))
        return out


all_steps = EXERCISE.misconception(
    "all-steps-returned",
    "All steps are computed again",
    "You cache queries as well and return the outputs of all steps so far. Old outputs cannot "
    "change any more: only the newest query is needed, and the result is (B, 1, D).",
)


@all_steps
class AllSteps(Cached):
    """Attends again for every step so far and returns all of them."""

    def reset(self) -> None:
        super().reset()
        self.queries: Tensor | None = None

    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.queries = query if self.queries is None else torch.cat([self.queries, query], dim=2)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = self.out(
            merge_heads(
                masked_attention(
                    self.queries, self.keys, self.values, causal_mask(self.queries.shape[2])
                )[0]
            )
        )
        return out


@all_steps
class AllStepsUnmasked(AllSteps):
    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        self.queries = query if self.queries is None else torch.cat([self.queries, query], dim=2)
        self.remember(key, value)
        assert self.keys is not None
        assert self.values is not None
        out: Tensor = self.out(
            merge_heads(masked_attention(self.queries, self.keys, self.values)[0])
        )
        return out


class Recomputes(Cached):
    """Keeps the inputs; `project` sees all of them at every step."""

    def reset(self) -> None:
        self.inputs: list[Tensor] = []

    def step(self, x: Tensor) -> Tensor:
        self.inputs.append(x)
        query, keys, values = self.project(torch.cat(self.inputs, dim=1))
        out: Tensor = self.out(merge_heads(self.attend(query, keys, values)))
        return out


@all_steps
class AllFromInputs(Recomputes):
    pass


@all_steps
class AllFromInputsMasked(Recomputes):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        out: Tensor = masked_attention(query, keys, values, causal_mask(query.shape[2]))[0]
        return out


EXERCISE.misconception(
    "returns-weights-too",
    "More than the output",
    "You return a tuple. `step` returns its output alone, (B, 1, D).",
    syntax=lambda tree: returns_tuple(tree, "step"),
)


@EXERCISE.misconception(
    "everything-again",
    "Keys and values are computed again",
    "You keep the inputs and compute the keys and values of all of them at every step. The numbers "
    "are right, but nothing is saved: the point of a cache is that each key and each value is "
    "computed once. Keep those, not the inputs.",
)
class NewestFromInputs(Recomputes):
    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return super().attend(query[:, :, -1:], keys, values)


@EXERCISE.misconception(
    "cache-on-the-class",
    "One cache for all objects",
    "Your cache belongs to the class, so that all layers of a model share it: when another object "
    "is made, this one forgets. Set it on the object, in `reset`.",
)
class OnTheClass(Cached):
    kept: tuple[Tensor, Tensor] | None = None

    def reset(self) -> None:
        OnTheClass.kept = None

    def step(self, x: Tensor) -> Tensor:
        self.keys, self.values = OnTheClass.kept or (None, None)
        out = super().step(x)
        assert self.keys is not None
        assert self.values is not None
        OnTheClass.kept = self.keys, self.values
        return out


def saves_the_cache(case: Case, got: Outcome) -> bool:
    """Everything is right, but the state_dict holds more than it should."""
    for want, have in zip(play(case, ref.CachedAttention).values, got.values, strict=True):
        if isinstance(want, dict):
            if not isinstance(have, dict) or not set(have) > set(want):
                return False
        elif isinstance(want, Tensor) and difference(want, have, EXERCISE.tolerance) is not None:
            return False
    return True


EXERCISE.misconception(
    "cache-in-the-state",
    "The cache is saved with the weights",
    "After a step your state_dict also holds the cache: it would be saved with the model, and "
    "would not fit when it is loaded. A plain attribute is not saved, nor is a buffer that is "
    "registered with `persistent=False`.",
    symptom=saves_the_cache,
)
