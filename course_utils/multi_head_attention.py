"""Unit 05: several attentions side by side, each in a subspace of its own."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_utils.masking import masked_attention


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(B, T, D) -> (B, H, T, D / H): head h gets the h-th contiguous slice of the features."""
    batch, length, dim = x.shape
    if dim % heads:
        raise ValueError(f"{heads} heads cannot share {dim} features evenly")
    # (B, T, H, d) -> (B, H, T, d)
    return x.view(batch, length, heads, dim // heads).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """(B, H, T, d) -> (B, T, H * d), the inverse of split_heads."""
    return x.transpose(1, 2).flatten(2)  # (B, T, H, d) -> (B, T, H * d)


class MultiHeadAttention(nn.Module):
    """Attention in `heads` subspaces at once: project, split, attend, merge, project."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        """(B, T, D), (B, S, D), (B, S, D), mask broadcastable to (B, H, T, S) -> output (B, T, D),
        weights (B, H, T, S)."""
        q = split_heads(self.query(query), self.heads)  # (B, H, T, d)
        k = split_heads(self.key(key), self.heads)  # (B, H, S, d)
        v = split_heads(self.value(value), self.heads)  # (B, H, S, d)
        weights = None
        if need_weights:
            output, weights = masked_attention(q, k, v, mask)  # (B, H, T, d), (B, H, T, S)
        else:  # the same numbers from one fused kernel, which never stores the weights
            output = F.scaled_dot_product_attention(q, k, v, mask)  # (B, H, T, d)
        return self.out(merge_heads(output)), weights


def from_torch(mha: nn.MultiheadAttention) -> MultiHeadAttention:
    """nn.MultiheadAttention (batch first, no dropout) -> MultiHeadAttention
    with the same weights."""
    attention = MultiHeadAttention(mha.embed_dim, mha.num_heads)
    layers = (attention.query, attention.key, attention.value)
    with torch.no_grad():
        for layer, weight, bias in zip(
            layers, mha.in_proj_weight.chunk(3), mha.in_proj_bias.chunk(3), strict=True
        ):
            layer.weight.copy_(weight)  # (D, D): a third of torch's packed (3 D, D)
            layer.bias.copy_(bias)  # (D,)
    attention.out.load_state_dict(mha.out_proj.state_dict())
    return attention


@torch.no_grad()
def switched_off(attention: MultiHeadAttention, head: int) -> MultiHeadAttention:
    """A copy of the layer in which one head writes nothing: its block of W_O is zero."""
    silent = copy.deepcopy(attention)
    blocks = silent.out.weight.chunk(attention.heads, dim=1)  # H times (D, d), stored (out, in)
    blocks[head].zero_()
    return silent


@contextmanager
def recorded_weights(model: nn.Module) -> Iterator[list[Tensor]]:
    """Collect the weights (B, H, T, S) of every MultiHeadAttention in a model, in the order in
    which they are computed."""
    recorded: list[Tensor] = []

    def ask(
        module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return args, kwargs | {"need_weights": True}

    def note(module: nn.Module, args: tuple[Any, ...], result: tuple[Tensor, Tensor]) -> None:
        recorded.append(result[1].detach())

    attentions = [module for module in model.modules() if isinstance(module, MultiHeadAttention)]
    hooks = [a.register_forward_pre_hook(ask, with_kwargs=True) for a in attentions]
    hooks += [a.register_forward_hook(note) for a in attentions]
    try:
        yield recorded
    finally:
        for hook in hooks:
            hook.remove()
