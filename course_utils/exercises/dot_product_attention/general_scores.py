"""General scores: `general_scores(query, key, w)`.

(..., T, Dq), (..., S, Dk), (Dq, Dk) -> (..., T, S).
"""

import math

import torch
from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.nadaraya_watson import softmax


def cases(draw: Draw) -> list[Case]:
    b, h, t, s, dq, dk = draw.sizes(6, low=2, high=8)

    def data(*leading: int, t: int, s: int, dq: int, dk: int) -> tuple[Tensor, ...]:
        return draw.normal(*leading, t, dq), draw.normal(*leading, s, dk), draw.normal(dq, dk)

    return [
        Case(f"{t} queries of size {dq}, {s} keys of size {dk}", args=data(t=t, s=s, dq=dq, dk=dk)),
        Case(f"a batch of {b}", args=data(b, t=s, s=t, dq=dk, dk=dq)),
        Case(f"a batch of {b} with {h} heads", args=data(b, h, t=t, s=s, dq=dk, dk=dq)),
        Case("all sizes equal", args=data(t, t=t, s=t, dq=t, dk=t)),
        Case("gradients", args=data(h, t=dq, s=dk, dq=t, dk=s), gradients=True),
        Case("one query", args=data(t=1, s=s, dq=dq, dk=dk), group="edge"),
        Case("one key", args=data(b, t=t, s=1, dq=dq, dk=dk), group="edge"),
    ]


EXERCISE = Exercise(
    name="general_scores",
    points=2,
    section="A family of scores",
    reference=ref.general_scores,
    returns=("scores (..., T, S)",),
    cases=cases,
    picture=weights_picture(0),
    tolerance=2e-5,
)

EXERCISE.misconception(
    "w-transposed",
    "w the wrong way round",
    "You multiply by the transpose of w. Its rows belong to the features of the query, its "
    "columns to those of the key: write the shapes under the product.",
    lambda q, k, w: q @ w.T @ k.mT,
)

EXERCISE.misconception(
    "w-ignored",
    "w is not used",
    "You return plain dot products. They need queries and keys of the same size; w is what makes "
    "them comparable.",
    lambda q, k, w: q @ k.mT,
)

EXERCISE.misconception(
    "transposed",
    "Rows and columns swapped",
    "Your rows are keys and your columns queries. One row belongs to one query.",
    lambda q, k, w: ref.general_scores(q, k, w).mT,
)

EXERCISE.misconception(
    "roles-swapped",
    "Query and key swapped",
    "You compute k w qᵀ: the key stands where the query belongs.",
    lambda q, k, w: k @ w @ q.mT,
)

EXERCISE.misconception(
    "scaled",
    "A scale that was not asked for",
    "You divide by a root. The general score has no fixed scale: w can learn it.",
    lambda q, k, w: ref.general_scores(q, k, w) / math.sqrt(k.shape[-1]),
)

EXERCISE.misconception(
    "softmax-included",
    "Weights instead of scores",
    "You return a softmax of the scores. Asked for are the scores themselves.",
    lambda q, k, w: softmax(ref.general_scores(q, k, w)),
)

EXERCISE.misconception(
    "w-on-both",
    "w is applied to both",
    "You project queries *and* keys with w. It stands once, between the two.",
    lambda q, k, w: (q @ w) @ (k @ w).mT,
)

EXERCISE.misconception(
    "transposes-every-axis",
    "`.T` turns round every axis",
    "`.T` reverses all axes, the batch included; that is the transpose only for a matrix. Swap "
    "the last two axes: `.mT` or `.transpose(-2, -1)`.",
    lambda q, k, w: q @ w @ k.permute(*reversed(range(k.dim()))),
)

EXERCISE.misconception(
    "paired-off",
    "Query i meets key i only",
    "You multiply row i with row i, which fits only if there are as many queries as keys. Every "
    "query meets every key.",
    lambda q, k, w: ((q @ w) * k).sum(-1),
)

EXERCISE.misconception(
    "keys-missing",
    "The keys are missing",
    "You return the projected queries. They still have to meet the keys.",
    lambda q, k, w: q @ w,
)

EXERCISE.misconception(
    "tanh-included",
    "A tanh that was not asked for",
    "You squash the scores with a tanh. That belongs to the additive score; the general one is a "
    "plain product.",
    lambda q, k, w: torch.tanh(ref.general_scores(q, k, w)),
)
