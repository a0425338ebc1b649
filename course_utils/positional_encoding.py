"""Unit 06: telling attention where things stand."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


@torch.no_grad()
def is_equivariant(layer: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    """Do the outputs of a layer (B, T, D) -> (B, T, E) follow its inputs when these change places?
    Swaps of neighbours are enough: every permutation is made of them."""
    out, length = layer(x), x.shape[1]  # (B, T, E)
    for t in range(length - 1):
        order = torch.arange(length)  # (T,)
        order[t], order[t + 1] = t + 1, t
        if not torch.allclose(layer(x[:, order]), out[:, order], atol=1e-5):
            return False
    return True


def frequencies(dim: int) -> Tensor:
    """-> (D / 2,): 1 / 10000^(2i / D), how fast the i-th pair of features turns."""
    return 10000.0 ** (-torch.arange(0, dim, 2) / dim)


def sinusoidal_encoding(length: int, dim: int) -> Tensor:
    """-> (T, D): column 2i is sin(t / 10000^(2i / D)), column 2i + 1 the cosine; t from 0."""
    if dim % 2:
        raise ValueError(f"sines and cosines come in pairs: {dim} columns are odd")
    angles = torch.arange(length)[:, None] * frequencies(dim)  # (T, 1) * (D / 2,) -> (T, D / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)  # (T, D / 2, 2) -> (T, D)


class LearnedPositions(nn.Module):
    """One trainable vector per position, added to the input."""

    def __init__(self, max_len: int, dim: int) -> None:
        super().__init__()
        self.table = nn.Embedding(max_len, dim)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D): x plus the first T rows of the table."""
        length, max_len = x.shape[1], self.table.num_embeddings
        if length > max_len:
            raise ValueError(f"{length} steps, but positions for {max_len} only")
        return x + self.table.weight[:length]  # (B, T, D) + (T, D)


def shift_matrix(offset: float, dim: int) -> Tensor:
    """-> (D, D) matrix M with M @ p(t) = p(t + offset) for every t, p as in sinusoidal_encoding."""
    angles = offset * frequencies(dim)  # (D / 2,)
    matrix, even = torch.zeros(dim, dim), torch.arange(0, dim, 2)
    odd = even + 1
    matrix[even, even] = matrix[odd, odd] = angles.cos()
    matrix[even, odd] = angles.sin()  # sin(a + b) = sin a cos b + cos a sin b
    matrix[odd, even] = -angles.sin()  # cos(a + b) = cos a cos b - sin a sin b
    return matrix  # (D, D): a rotation in every pair, zeros elsewhere


def rotary(x: Tensor, positions: Tensor) -> Tensor:
    """(B, H, T, d), (T,) -> (B, H, T, d): pair (2i, 2i + 1) turned by
    positions / 10000^(2i / d)."""
    # (T, d / 2), of x's type and on its device
    angles = positions[:, None] * frequencies(x.shape[-1]).to(x)
    cos, sin = angles.cos(), angles.sin()
    even, odd = x[..., 0::2], x[..., 1::2]  # (B, H, T, d / 2) each
    # (B, H, T, d)
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)
