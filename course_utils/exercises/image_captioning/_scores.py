"""Soft attention that goes wrong in one way, for the misconceptions about it."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def hidden_layer(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor) -> Tensor:
    return torch.tanh(regions @ w_r + (state @ w_s)[:, None])


def energies(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> Tensor:
    return hidden_layer(regions, state, w_r, w_s) @ v


def mixed(regions: Tensor, weights: Tensor) -> Tensor:
    return (weights[:, None] @ regions).squeeze(1)


def plainly(scores: Tensor) -> Tensor:
    """A softmax that overflows."""
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def scored(score: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    """soft_attention with other scores (B, R)."""

    def variant(
        regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor
    ) -> tuple[Tensor, Tensor]:
        weights = score(regions, state, w_r, w_s, v).softmax(-1)
        return mixed(regions, weights), weights

    return variant


def no_region_axis(mix: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Any]:
    """One region or one picture still works, and there ways to mix differ."""

    def variant(
        regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor
    ) -> tuple[Tensor, Tensor]:
        weights = (torch.tanh(regions @ w_r + state @ w_s) @ v).softmax(-1)
        return mix(regions, weights), weights

    return variant


def finished(result: Callable[[Tensor, Tensor, Tensor], Any]) -> Callable[..., Any]:
    """soft_attention that returns something else, made of regions (B, R, D), scores (B, R) and
    weights (B, R)."""

    def variant(regions: Tensor, state: Tensor, w_r: Tensor, w_s: Tensor, v: Tensor) -> Any:
        scores = energies(regions, state, w_r, w_s, v)
        return result(regions, scores, scores.softmax(-1))

    return variant
