"""Small layers and models that stand in as arguments of exercises which take a callable.

A `Toy` names one of the builders below and carries its numbers, so that it can be sent to
another process and built there. What a toy does is decided by its numbers alone: its class
gives nothing away about the expected answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Toy:
    name: str
    weights: dict[str, Tensor] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> tuple[str, ...]:
        """The weights that say what it does."""
        return SHOWN.get(self.name, ())

    @property
    def shown(self) -> tuple[str, ...]:
        """Those that a reader is shown; a model's only if its table is small and all of it."""
        names = self.told
        if self.name in TABLES and (
            self.weights["table"].numel() > READABLE
            or any(weight.any() for name, weight in self.weights.items() if name not in names)
        ):
            return ()
        return names

    def __str__(self) -> str:
        if self.name in TABLES and not self.shown:
            words = self.weights["table"].shape[-1]
            return f"a small {TABLES[self.name]} of the course, of {words} words"
        return SAID.get(self.name, f"a small {self.name.replace('_', ' ')} of the course")


FORMS = ("unit", "even", "centred", "fixed")  # what a layer that mixes time steps may do besides


class TimeMix(nn.Module):
    """(B, T, D) -> (B, T, E): mixes time steps by a matrix `time` (T, T), then features by
    `features` (D, E).

    `rounded` (T, T) mixes further steps in and takes them out again, which leaves their rounding;
    `unit` 1 makes all inputs equally long, `even` 1 forgets their signs, `centred` 1 makes the
    features of an output sum to 0; `fixed` 1 takes no other number of steps than T, as a layer with
    a mask of that length inside.
    """

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        super().__init__()
        time, none = weights["time"], torch.zeros(())
        self._mixing = time, weights.get("rounded", torch.zeros_like(time)), weights["features"]
        self._form = tuple(weights.get(name, none) for name in FORMS)

    def forward(self, x: Tensor) -> Tensor:
        (time, rounded, features), (unit, even, centred, fixed) = self._mixing, self._form
        steps = x.shape[1]
        if fixed > 0 and steps != len(time):
            raise RuntimeError(
                f"this layer has a mask for {len(time)} steps inside, and was called with {steps}"
            )
        x = torch.where(unit > 0, nn.functional.normalize(x, dim=-1), x)
        x = torch.where(even > 0, x.square(), x) @ features
        further = rounded[:steps, :steps] @ x
        y = torch.tanh((time[:steps, :steps] @ x + further) - further)
        return y - centred * y.mean(-1, keepdim=True)


class TableModel:
    """(B, t) tokens -> (B, V) logits, from a table (L, V, V) by the number of tokens so far and the
    last token; `history` (L, V, V) adds what each token says at its place, so that no earlier one
    may be forgotten or exchanged."""

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        self.table = weights["table"]
        self.history = weights.get("history", torch.zeros_like(self.table))

    def __call__(self, tokens: Tensor) -> Tensor:
        last = len(self.table) - 1
        places = torch.arange(tokens.shape[1]).clamp(max=last)  # (t,)
        said = self.history[places, tokens].sum(1)  # (B, t, V) -> (B, V)
        return self.table[min(tokens.shape[1] - 1, last), tokens[:, -1]] + said


class TableStep:
    """Tokens (B,), state (B, 2 + L) -> logits (B, V), new state: from a table (L, V, V) by the
    number of steps so far and the last token; a state counts its steps, and marks those in which
    its row ends."""

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        self.table, self.end = weights["table"], int(config["eos"])

    def __call__(self, token: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        if token.shape != state.shape[:1]:
            raise RuntimeError(
                f"the decoder needs one token per row: {tuple(token.shape)} do not fit a state of "
                f"shape {tuple(state.shape)}"
            )
        step = int(state[0, 0]) % len(self.table)
        logits = self.table[step, token] + state[:, -1:] * self.table[step, :, 0]  # (B, V)
        ends = 60 * state[:, 1 + step] - 30  # (B,)
        logits = logits.index_add(1, torch.tensor([self.end]), ends[:, None])
        following = state.clone()
        following[:, 0] += 1
        return logits, following


class Classifier:
    """(B, C, H, W) images -> (B, classes) logits: `inner` (hidden, C, H, W) weighs all pixels,
    `outer` (hidden, classes) what comes of it; `bend` 0 leaves out the sine between them. Smaller
    images use a part of `inner`."""

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        self._layers = weights["inner"], weights["outer"]
        self._bend = weights.get("bend", torch.ones(()))

    def __call__(self, images: Tensor) -> Tensor:
        (inner, outer), (channels, height, width) = self._layers, images.shape[1:]
        inner = inner[:, :channels, :height, :width].flatten(1)  # (hidden, C H W)
        hidden = images.flatten(1) @ inner.T  # (B, hidden)
        return (hidden + self._bend * hidden.sin()) @ outer


class LookStep:
    """Tokens (B,), state (h, c) of (B, n) each, regions (B, R, D) -> logits (B, V), new state,
    weights (B, R): one step of a captioner that looks with h. `asks` (n, D) makes the query,
    `sees` (D, n), `reads` (V, n) and `keeps` (n, n) make the new state, `says` (n, V) the logits;
    `bend` 0 leaves out the tanh."""

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        self._weights = weights

    def __call__(
        self, token: Tensor, state: tuple[Tensor, Tensor], regions: Tensor
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        w, (h, c) = self._weights, state
        if token.shape != h.shape[:1]:
            raise RuntimeError(
                f"the captioner needs one word per picture: {tuple(token.shape)} do not fit a "
                f"state of shape {tuple(h.shape)}"
            )
        weights = (regions @ (h @ w["asks"])[:, :, None])[..., 0].softmax(-1)  # (B, R)
        context = (weights[:, None] @ regions)[:, 0]  # (B, D)
        c = c + h @ w["keeps"] + w["reads"][token] + context @ w["sees"]  # (B, n)
        h = c + w.get("bend", torch.ones(())) * (c.tanh() - c)  # (B, n)
        return h @ w["says"], (h, c), weights


def torch_attention(weights: dict[str, Tensor], config: dict[str, Any]) -> nn.MultiheadAttention:
    """torch's own multi-head attention with the given weights."""
    attention = nn.MultiheadAttention(config["dim"], config["heads"], batch_first=True)
    attention.load_state_dict(weights)
    return attention.eval()


READABLE = 48  # numbers of a table that a reader can still follow
TABLES = {"table_model": "model", "table_step": "decoder"}
SHOWN = {
    "time_mix": ("time",),
    "classifier": ("inner", "outer"),
    "table_model": ("table",),
    "table_step": ("table",),
}
SAID = {
    "time_mix": "a layer; row t says how much of each step goes into output t",
    "table_model": "a model; block t, row i: its logits after t + 1 tokens, the last of them i",
    "table_step": "a decoder; block t, row i: its logits in step t after token i",
    "classifier": "a classifier; inner says how it weighs the pixels, outer makes the logits",
    "look_step": "one step of a captioner",
}
BUILDERS: dict[str, Callable[[dict[str, Tensor], dict[str, Any]], Any]] = {
    "time_mix": TimeMix,
    "table_model": TableModel,
    "table_step": TableStep,
    "classifier": Classifier,
    "look_step": LookStep,
    "torch_attention": torch_attention,
}


def build(toy: Toy) -> Any:
    return BUILDERS[toy.name](toy.weights, toy.config)
