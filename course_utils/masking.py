"""Unit 03: who may look at whom. Masks are boolean, True = may attend."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor


def padding_mask(lengths: Tensor, max_len: int) -> Tensor:
    """(B,) int -> (B, max_len) bool, True on real tokens."""
    return torch.arange(max_len, device=lengths.device) < lengths[:, None]


def causal_mask(length: int) -> Tensor:
    """-> (T, T) bool, True on and below the diagonal: row t may look at columns 0 to t."""
    return torch.ones(length, length, dtype=torch.bool).tril()


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """(..., T, S), bool broadcastable to it -> (..., T, S): shares of what is allowed; zeros in a
    row where nothing is."""
    # (..., T, S), NaN in a row without any True
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return weights.masked_fill(~mask, 0.0)  # (..., T, S)


def masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """(..., T, D), (..., S, D), (..., S, Dv), mask for (..., T, S) -> output (..., T, Dv), weights
    (..., T, S)."""
    scores = query @ key.mT / math.sqrt(key.shape[-1])  # (..., T, S)
    weights = scores.softmax(-1) if mask is None else masked_softmax(scores, mask)  # (..., T, S)
    return weights @ value, weights


def fused_masked_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
) -> Tensor:
    """The same output in one kernel, which never stores the weights; its boolean masks also mean
    True = may attend."""
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


@torch.no_grad()
def sees_the_future(layer: Callable[[Tensor], Tensor], x: Tensor) -> bool:
    """Callable (B, T, D) -> (B, T, E), x (B, T, D) -> does any output position depend on a later
    input position?"""
    before = layer(x)  # (B, T, E)
    # At random: a constant shift is invisible to a layer norm
    noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(0))
    for t in range(1, x.shape[1]):
        # (B, T, D), another future from step t on
        changed = torch.cat([x[:, :t], x[:, t:] + noise[:, t:]], dim=1)
        if not torch.allclose(layer(changed)[:, :t], before[:, :t], atol=1e-6):
            return True
    return False
