"""Leaving one out with other scores or another fill, for the misconceptions about it."""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils import nadaraya_watson as ref
from course_utils.exercises.nadaraya_watson._shared import squared

Scores = Callable[[Tensor, Tensor | float], Tensor]  # of squared distances and the bandwidth


def gaussian(squares: Tensor, bandwidth: Tensor | float) -> Tensor:
    return -squares / (2 * bandwidth**2)


def leave(
    keys: Tensor,
    values: Tensor,
    bandwidth: Tensor | float,
    scores: Scores = gaussian,
    fill: float = -torch.inf,
) -> Tensor:
    """How far each prediction from the others is off, with other scores or another fill."""
    own = torch.eye(len(keys), dtype=torch.bool)
    others = scores(squared(keys, keys), bandwidth).masked_fill(own, fill)
    return ref.softmax(others) @ values - values


def leaves_out_with(scores: Scores = gaussian, fill: float = -torch.inf) -> Callable[..., Tensor]:
    return lambda keys, values, bandwidth: (
        leave(keys, values, bandwidth, scores, fill) ** 2
    ).mean()
