"""Unit 02: look-up by similarity, from one-hot rows to scaled dot-product attention and its
relatives."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils.nadaraya_watson import softmax


def one_hot_lookup(ids: Tensor, table: Tensor) -> Tensor:
    """(T,) int, (V, D) -> (T, D): the rows of the table that `ids` name, by a matrix product."""
    one_hot = F.one_hot(ids, len(table)).to(table.dtype)  # (T, V)
    return one_hot @ table  # (T, D)


def context_vectors(x: Tensor) -> tuple[Tensor, Tensor]:
    """(T, D) -> output (T, D), weights (T, T): every vector becomes a mean of all, weighted by
    similarity to it."""
    weights = softmax(x @ x.mT, dim=-1)  # (T, T)
    return weights @ x, weights


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor
) -> tuple[Tensor, Tensor]:
    """(..., T, D), (..., S, D), (..., S, Dv) -> output (..., T, Dv), weights (..., T, S)."""
    scores = query @ key.mT / math.sqrt(key.shape[-1])  # (..., T, S)
    weights = softmax(scores, dim=-1)  # (..., T, S)
    return weights @ value, weights


def fused_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """The same output in one kernel, which never stores the weights: (..., T, D), (..., S, D),
    (..., S, Dv) -> (..., T, Dv)."""
    return F.scaled_dot_product_attention(query, key, value)


def self_attention(x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor) -> tuple[Tensor, Tensor]:
    """(B, T, D), (D, Dk), (D, Dk), (D, Dv) -> output (B, T, Dv), weights (B, T, T)."""
    return scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v)


def cosine_scores(query: Tensor, key: Tensor) -> Tensor:
    """(..., T, D), (..., S, D) -> (..., T, S): the cosine of the angle; a zero vector scores 0."""
    return F.normalize(query, dim=-1) @ F.normalize(key, dim=-1).mT


def additive_scores(query: Tensor, key: Tensor, w_q: Tensor, w_k: Tensor, v: Tensor) -> Tensor:
    """(..., T, Dq), (..., S, Dk), (Dq, A), (Dk, A), (A,) -> (..., T, S):
    v . tanh(q w_q + k w_k)."""
    every_pair = (query @ w_q)[..., :, None, :] + (key @ w_k)[..., None, :, :]  # (..., T, S, A)
    return torch.tanh(every_pair) @ v  # (..., T, S)


def general_scores(query: Tensor, key: Tensor, w: Tensor) -> Tensor:
    """(..., T, Dq), (..., S, Dk), (Dq, Dk) -> (..., T, S): q w k^T."""
    return query @ w @ key.mT
