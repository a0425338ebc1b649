"""Sinusoidal encodings that go wrong in one way, for the misconceptions about them."""

from collections.abc import Callable

import torch
from torch import Tensor


def encoding(
    exponents: Callable[[Tensor, int], Tensor] = lambda i, dim: 2 * i / dim,
    base: float = 10000.0,
    start: int = 0,
    angle: Callable[[Tensor, Tensor], Tensor] = lambda t, scale: t / scale,
    layout: Callable[[Tensor, Tensor], Tensor] = lambda sin, cos: torch.stack(
        [sin, cos], -1
    ).flatten(1),
) -> Callable[[int, int], Tensor]:
    """The encoding with one of its parts replaced; i counts the pairs from 0."""

    def make(length: int, dim: int) -> Tensor:
        if dim % 2:
            raise ValueError("odd")
        scale = base ** exponents(torch.arange(dim // 2), dim)  # (D / 2,)
        angles = angle(torch.arange(start, start + length)[:, None], scale)  # (T, D / 2)
        return layout(angles.sin(), angles.cos())

    return make


def per_column(factor: float) -> Callable[[int, int], Tensor]:
    """Every column has an exponent of its own: column j has factor * j / D."""

    def make(length: int, dim: int) -> Tensor:
        if dim % 2:
            raise ValueError("odd")
        angles = torch.arange(length)[:, None] / 10000 ** (factor * torch.arange(dim) / dim)
        return torch.where(torch.arange(dim) % 2 == 0, angles.sin(), angles.cos())

    return make
