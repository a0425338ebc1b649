"""Parts of additive scores, and one that goes wrong."""

import torch
from torch import Tensor


def summed(query: Tensor, key: Tensor, w_q: Tensor, w_k: Tensor) -> Tensor:
    """(..., T, S, A): what goes into the tanh, for every pair."""
    return (query @ w_q)[..., :, None, :] + (key @ w_k)[..., None, :, :]


def repeated(query: Tensor, key: Tensor, w_q: Tensor, w_k: Tensor, v: Tensor) -> Tensor:
    t, s = query.shape[-2], key.shape[-2]
    ones = [1] * (query.dim() - 2)
    # (..., T * S, A): i-th query meets i-th key, round and round
    pairs = (query @ w_q).repeat(*ones, s, 1) + (key @ w_k).repeat(*ones, t, 1)
    return (torch.tanh(pairs) @ v).reshape(*query.shape[:-2], t, s)
