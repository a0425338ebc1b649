"""Unit 01: prediction by similarity, the oldest attention."""

import torch
from torch import Tensor


def softmax(scores: Tensor, dim: int = -1) -> Tensor:
    """Any shape -> same shape: positive numbers that sum to one along `dim`."""
    shifted = scores - scores.amax(dim, keepdim=True)  # the largest becomes 0: exp cannot overflow
    exponentials = shifted.exp()
    return exponentials / exponentials.sum(dim, keepdim=True)


def gaussian_weights(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    """(Q,), (K,), scalar -> (Q, K): how much each key counts for each query."""
    distances = queries[:, None] - keys[None, :]  # (Q, K)
    return softmax(-(distances**2) / (2 * bandwidth**2), dim=-1)  # (Q, K)


def nadaraya_watson(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> tuple[Tensor, Tensor]:
    """(Q,), (K,), (K,), scalar -> predictions (Q,), weights (Q, K)."""
    weights = gaussian_weights(queries, keys, bandwidth)  # (Q, K)
    return weights @ values, weights


def leave_one_out_error(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    """(K,), (K,), scalar -> scalar: mean squared error when every point is predicted from all the
    others."""
    distances = keys[:, None] - keys[None, :]  # (K, K)
    scores = -(distances**2) / (2 * bandwidth**2)  # (K, K)
    # Nobody is their own neighbour
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    predictions = softmax(scores, dim=-1) @ values  # (K,)
    return ((predictions - values) ** 2).mean()
