"""Attention rollout in parts, for the misconceptions about it."""

from collections.abc import Callable, Iterable
from functools import reduce

import torch
from torch import Tensor


def half(attention: Tensor) -> Tensor:
    return 0.5 * attention + 0.5 * torch.eye(attention.shape[-1])


def rows(steps: Tensor) -> Tensor:
    """Every row divided by its sum."""
    return steps / steps.sum(-1, keepdim=True)


def steps(weights: list[Tensor]) -> list[Tensor]:
    return [rows(half(layer.mean(1))) for layer in weights]


def multiplied(layers: Iterable[Tensor]) -> Tensor:
    """The product of the normalised layers, later ones on the left."""
    return reduce(lambda total, layer: layer @ total, map(rows, layers))


def rollout(
    fuse: Callable[[Tensor], Tensor] = lambda layer: layer.mean(1),
    mix: Callable[[Tensor, Tensor], Tensor] = lambda a, eye: 0.5 * a + 0.5 * eye,
    norm: Callable[[Tensor], Tensor] = rows,
    join: Callable[[Tensor, Tensor], Tensor] = lambda step, total: step @ total,
) -> Callable[[list[Tensor]], Tensor]:
    """attention_rollout with one of its four parts exchanged."""

    def variant(weights: list[Tensor]) -> Tensor:
        eye = torch.eye(weights[0].shape[-1])
        total = eye.expand(len(weights[0]), -1, -1)
        for layer in weights:
            total = join(norm(mix(fuse(layer), eye)), total)
        return total

    return variant
