"""Small layers and models that stand in as arguments of exercises which take a callable.

A `Toy` names one of the builders below and carries its numbers, so that it can be sent to another process and built there.
What a toy does is decided by its numbers alone: its class gives nothing away about the expected answer.
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


class TimeMix(nn.Module):
    """(B, T, D) -> (B, T, E): mixes time steps by a matrix `time` (T, T), then features by `features` (D, E)."""

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        super().__init__()
        self.time, self.features = weights["time"], weights["features"]

    def forward(self, x: Tensor) -> Tensor:
        steps = x.shape[1]
        return torch.tanh(self.time[:steps, :steps] @ x @ self.features)


class TableModel:
    """(1, t) tokens -> (1, V) logits, from a table (L, V, V) by the number of tokens so far and the last token."""

    def __init__(self, weights: dict[str, Tensor], config: dict[str, Any]) -> None:
        self.table = weights["table"]

    def __call__(self, tokens: Tensor) -> Tensor:
        step = min(tokens.shape[1], len(self.table)) - 1
        return self.table[step, tokens[:, -1]].clone()


def torch_attention(weights: dict[str, Tensor], config: dict[str, Any]) -> nn.MultiheadAttention:
    """torch's own multi-head attention with the given weights."""
    attention = nn.MultiheadAttention(config["dim"], config["heads"], batch_first=True)
    attention.load_state_dict(weights)
    return attention.eval()


BUILDERS: dict[str, Callable[[dict[str, Tensor], dict[str, Any]], Any]] = {
    "time_mix": TimeMix,
    "table_model": TableModel,
    "torch_attention": torch_attention,
}


def build(toy: Toy) -> Any:
    return BUILDERS[toy.name](toy.weights, toy.config)
