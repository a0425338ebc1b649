"""Smoothed losses that go wrong in one way, for the misconceptions about them."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def smoothed(spread: Callable[[Tensor, Tensor, float], Tensor]) -> Callable[..., Tensor]:
    """The loss with another target distribution, made of the right words (B, T, V), one-hot, a (V,)
    with 0 for the padding and 1 for each word, and the smoothing."""

    def variant(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
        log_probs = F.log_softmax(logits, dim=-1)
        hot = F.one_hot(targets, logits.shape[-1]).float()
        words = (torch.arange(logits.shape[-1]) != pad).float()
        loss = -(spread(hot, words, smoothing) * log_probs).sum(-1)
        return loss[targets != pad].mean()

    return variant


def terms(
    logits: Tensor,
    targets: Tensor,
    smoothing: float,
    logs: Callable[[Tensor], Tensor] = lambda logits: F.log_softmax(logits, dim=-1),
) -> Tensor:
    """(B, T, V), (B, T) -> (B, T): the loss of every position."""
    log_probs = logs(logits)
    right = log_probs.gather(-1, targets[..., None]).squeeze(-1)
    return -(1 - smoothing) * right - smoothing * log_probs.mean(-1)


def real(logits: Tensor, targets: Tensor, pad: int, smoothing: float, **other: Any) -> Tensor:
    """(N,): the loss of every real token."""
    return terms(logits, targets, smoothing, **other)[targets != pad]


def means_of_sentences(logits: Tensor, targets: Tensor, pad: int, smoothing: float) -> Tensor:
    """(B,): NaN for a sentence of padding alone."""
    counts = (targets != pad).float()
    return (terms(logits, targets, smoothing) * counts).sum(1) / counts.sum(1)
