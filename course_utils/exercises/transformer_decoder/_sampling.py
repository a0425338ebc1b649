"""Which words stay when the next one is drawn, and how that goes wrong."""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils.judging.exercise import Draw

Weigh = Callable[..., Tensor]  # (logits, temperature, top_k, top_p) -> weights


def among_the_largest(logits: Tensor, count: int) -> Tensor:
    """(B, V) -> (B, V) bool: is a word among the `count` likeliest ones of its row?"""
    return logits.argsort(-1, descending=True).argsort(-1) < count


def before(weights: Tensor) -> Tensor:
    """(B, V) -> (B, V): how much probability the likelier words have together."""
    ordered, order = weights.sort(-1, descending=True)
    return torch.zeros_like(weights).scatter(-1, order, ordered.cumsum(-1) - ordered)


def kept(logits: Tensor, top_k: int | None = None, top_p: float | None = None) -> Tensor:
    """(B, V) -> (B, V) bool: which words stay, even those whose weight rounds to 0."""
    stay = torch.ones_like(logits, dtype=torch.bool)
    if top_k is not None:
        stay = among_the_largest(logits, top_k)
    if top_p is not None:
        stay = stay & (before(logits.masked_fill(~stay, -torch.inf).softmax(-1)) < top_p)
    return stay


def clear(draw: Draw, rows: int, words: int, *settings: float | int | None) -> Tensor:
    """(B, V): logits in which no rounding decides, drawn row by row."""
    return torch.cat([clear_row(draw, words, *settings) for _ in range(rows)])


def clear_row(draw: Draw, words: int, *settings: float | int | None) -> Tensor:
    """(1, V): no sum of probabilities is close to top_p, and no two words are close to one
    another."""
    temperature, top_k, top_p = (*settings, None, None, None)[:3]
    while True:
        logits = draw.normal(1, words, scale=1.5)
        gaps = logits.sort(-1).values.diff(dim=-1).amin()
        scaled = logits / float(temperature or 1)
        if top_k is not None:
            scaled = scaled.masked_fill(~among_the_largest(scaled, int(top_k)), -torch.inf)
        sums = scaled.softmax(-1).sort(-1, descending=True).values.cumsum(-1)
        far = top_p is None or float((sums - top_p).abs().min()) > 0.01
        if far and float(gaps) > 0.005:
            return logits


def weighs(
    scale: Callable[[Tensor, float], Tensor] = lambda logits, temperature: logits / temperature,
    largest: Callable[[Tensor, int], Tensor] = among_the_largest,
    stays: Callable[[Tensor, float], Tensor] = lambda weights, p: before(weights) < p,
    normalise: bool = True,
) -> Weigh:
    """The weights with one step done in another way, as a variant."""

    def variant(
        logits: Tensor,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
    ) -> Tensor:
        logits = scale(logits, temperature)
        if top_k is not None:
            logits = logits.masked_fill(~largest(logits, top_k), -torch.inf)
        weights = logits.softmax(-1)
        if top_p is not None:
            weights = weights * stays(weights, top_p)
        return weights / weights.sum(-1, keepdim=True) if normalise else weights

    return variant
