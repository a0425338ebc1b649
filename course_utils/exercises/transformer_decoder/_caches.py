"""Cached attention in pieces: what goes wrong in one of them, for the misconceptions about it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import transformer_decoder as ref
from course_utils.judging.compare import difference
from course_utils.judging.runner import Case, Outcome, play
from course_utils.masking import causal_mask, masked_attention
from course_utils.multi_head_attention import merge_heads, split_heads


class Cached(ref.CachedAttention):
    """The right answer in pieces, each of which a variant can replace."""

    axis = 2  # along which old and new are joined
    causal = False  # is there a triangular mask?

    def project(self, x: Tensor) -> list[Tensor]:
        return [self.split(layer(x)) for layer in (self.query, self.key, self.value)]

    def split(self, x: Tensor) -> Tensor:
        return split_heads(x, self.heads)

    def join(self, old: Tensor | None, new: Tensor) -> Tensor:
        return new if old is None else torch.cat([old, new], dim=self.axis)

    def kept(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values so far, the newest included."""
        return self.join(self.keys, key), self.join(self.values, value)

    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        mask = causal_mask(query.shape[2]) if self.causal else None
        out: Tensor = masked_attention(query, keys, values, mask)[0]
        return out

    def finish(self, heads: Tensor) -> Tensor:
        out: Tensor = self.out(merge_heads(heads))
        return out

    def step(self, x: Tensor) -> Tensor:
        query, key, value = self.project(x)
        keys, values = self.keys, self.values = self.kept(key, value)
        return self.finish(self.attend(query, keys, values))


class Recomputes(Cached):
    """Keeps the inputs; `project` sees all of them at every step."""

    def reset(self) -> None:
        self.inputs: list[Tensor] = []

    def step(self, x: Tensor) -> Tensor:
        self.inputs.append(x)
        return self.finish(self.attend(*self.project(torch.cat(self.inputs, dim=1))))


class KeepsQueries(Cached):
    """Attends again for every step so far and returns all of them."""

    def reset(self) -> None:
        super().reset()
        self.queries: Tensor | None = None

    def attend(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        self.queries = self.join(self.queries, query)
        return super().attend(self.queries, keys, values)


def cached(base: type[Cached] = Cached, **pieces: Any) -> type[Cached]:
    """CachedAttention with other pieces, as a variant."""
    return type("CachedAttention", (base,), pieces)


def forgets(*names: str) -> Callable[[Any], None]:
    """A `reset` that empties only these caches."""

    def reset(self: Any) -> None:
        for name in ("keys", "values"):
            if name in names or not hasattr(self, name):
                setattr(self, name, None)

    return reset


def older(kept: Tensor) -> Tensor:
    """(B, H, t, d) -> (B, H, t - 1, d): all steps but the newest; the first one has no other."""
    return kept[:, :, : max(kept.shape[2] - 1, 1)]


def saves_the_cache(case: Case, got: Outcome, tolerance: float) -> bool:
    """Everything is right, but the state_dict holds more than it should."""
    for want, have in zip(play(case, ref.CachedAttention).values, got.values, strict=True):
        if isinstance(want, dict):
            if not isinstance(have, dict) or not set(have) > set(want):
                return False
        elif isinstance(want, Tensor) and difference(want, have, tolerance) is not None:
            return False
    return True
