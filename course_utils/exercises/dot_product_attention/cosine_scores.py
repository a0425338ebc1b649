"""Cosine scores: `cosine_scores(query, key)`, (..., T, D), (..., S, D) -> (..., T, S)."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from course_utils import dot_product_attention as ref
from course_utils.exercises.dot_product_attention._shared import dots
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.properties import no_nan
from course_utils.nadaraya_watson import softmax


def cases(draw: Draw) -> list[Case]:
    b, h, t, s, d = draw.sizes(5, low=2, high=7)
    lengths = 10 ** draw.uniform(t, 1, low=-2, high=2)  # vectors of very different length
    zero_query, zero_key = draw.normal(t, d), draw.normal(s, d)
    zero_query[0], zero_key[-1] = 0.0, 0.0
    unit = F.normalize(draw.normal(t, d), dim=-1)
    short = unit * draw.uniform(t, 1, low=6e-4, high=9e-4)
    long = F.normalize(draw.normal(s, d), dim=-1) * draw.uniform(s, 1, low=1.0, high=1.1)
    return [
        Case(f"{t} queries, {s} keys", args=(draw.normal(t, d), draw.normal(s, d))),
        Case(
            "vectors of very different length",
            args=(lengths * draw.normal(t, d), draw.normal(s, d, scale=5.0)),
        ),
        Case(
            f"a batch of {b} with {h} heads",
            args=(draw.normal(b, h, s, d), draw.normal(b, h, t, d)),
        ),
        Case("all sizes equal", args=(draw.normal(d, d, d), draw.normal(d, d, d))),
        Case("gradients", args=(draw.normal(b, d, t), draw.normal(b, h, t)), gradients=True),
        Case("a zero query", args=(zero_query, draw.normal(s, d)), group="edge"),
        Case("a zero query and a zero key", args=(zero_query, zero_key), group="edge"),
        Case("queries shorter than a thousandth", args=(short, long), group="edge"),
        Case("one query, one key", args=(draw.normal(1, d), draw.normal(1, d)), group="edge"),
    ]


EXERCISE = Exercise(
    name="cosine_scores",
    points=2,
    section="A family of scores",
    reference=ref.cosine_scores,
    returns=("scores (..., T, S)",),
    cases=cases,
    properties=(no_nan(),),
    picture=weights_picture(0),
)


def norms(x: Tensor) -> Tensor:
    return (x**2).sum(-1, keepdim=True).sqrt()


EXERCISE.misconception(
    "divides-by-zero",
    "A zero vector gives NaN",
    "The length of a zero vector is 0, and 0 / 0 is NaN. The text says what such a vector scores: "
    "take care of it before you divide, or clean up after.",
    lambda q, k: (q / norms(q)) @ (k / norms(k)).mT,
)

EXERCISE.misconception(
    "no-normalisation",
    "The plain dot product",
    "You return dot products: a vector that is twice as long scores twice as much. A cosine knows "
    "the angle only.",
    lambda q, k: q @ k.mT,
)

EXERCISE.misconception(
    "only-queries-normalised",
    "Only the queries are normalised",
    "You divide by the length of the query, but not by that of the key: long keys still win.",
    lambda q, k: F.normalize(q, dim=-1) @ k.mT,
)

EXERCISE.misconception(
    "only-keys-normalised",
    "Only the keys are normalised",
    "You divide by the length of the key, but not by that of the query: the scores are no cosines "
    "and can be larger than 1.",
    lambda q, k: q @ F.normalize(k, dim=-1).mT,
)

EXERCISE.misconception(
    "normalised-along-the-sequence",
    "Normalised along the wrong axis",
    "You normalise each feature over the sequence. A vector is a row: its length is taken along "
    "the last axis.",
    lambda q, k: F.normalize(q, dim=-2) @ F.normalize(k, dim=-2).mT,
)

EXERCISE.misconception(
    "normalised-along-axis-one",
    "Normalised along axis 1",
    "You normalise along axis 1 whatever the shape (it is the default of `F.normalize`). Features "
    "are the last axis: count from the end.",
    lambda q, k: F.normalize(q) @ F.normalize(k).mT,
)

EXERCISE.misconception(
    "one-norm-for-all",
    "One length for all vectors",
    "You divide by the norm of the whole tensor. Every vector has its own length.",
    lambda q, k: q @ k.mT / (q.norm() * k.norm()),
)

EXERCISE.misconception(
    "squared-lengths",
    "Divided by the squared lengths",
    "You divide by |q|² |k|²: a square root is missing.",
    lambda q, k: torch.nan_to_num(q @ k.mT / (norms(q) ** 2 * norms(k).mT ** 2)),
)

EXERCISE.misconception(
    "paired-off",
    "Query i meets key i only",
    "You compare query i with key i only, which needs as many queries as keys. Every query meets "
    "every key: give each of them a new axis, or use a matrix product.",
    lambda q, k: F.cosine_similarity(q, k, dim=-1),
)

EXERCISE.misconception(
    "softmax-included",
    "Weights instead of scores",
    "You return a softmax of the cosines. Asked for are the scores, before the softmax.",
    lambda q, k: softmax(ref.cosine_scores(q, k)),
)

EXERCISE.misconception(
    "cosine-distance",
    "A distance instead of a similarity",
    "You return 1 - cosine: small for similar vectors. A score is large for similar ones.",
    lambda q, k: 1 - ref.cosine_scores(q, k),
)

EXERCISE.misconception(
    "angle",
    "The angle instead of its cosine",
    "You return angles. They are small for similar vectors; their cosine is what is asked for.",
    lambda q, k: torch.arccos(ref.cosine_scores(q, k).clamp(-1, 1)),
)

EXERCISE.misconception(
    "absolute-lengths",
    "The sum of absolute values as length",
    "You divide by the sum of absolute values (the 1-norm). The length in a cosine is the root of "
    "the sum of squares.",
    lambda q, k: F.normalize(q, p=1.0, dim=-1) @ F.normalize(k, p=1.0, dim=-1).mT,
)

EXERCISE.misconception(
    "transposed",
    "Rows and columns swapped",
    "Your rows are keys and your columns queries. One row belongs to one query.",
    lambda q, k: ref.cosine_scores(k, q),
)

EXERCISE.misconception(
    "scaled-dot",
    "The scaled dot product",
    "You divide by √d. That is the same number for all vectors; a cosine divides by the two "
    "lengths.",
    lambda q, k: dots(q, k),
)


def guarded(guard: Callable[[Tensor], Tensor]) -> Callable[[Tensor, Tensor], Tensor]:
    """Cosines whose norms are kept from being 0."""
    return lambda query, key: (query / guard(norms(query))) @ (key / guard(norms(key))).mT


def limit(value: float) -> list[Callable[[Tensor, Tensor], Tensor]]:
    """A small number that protects the division, as a floor or added."""
    return [guarded(lambda n: n.clamp(min=value)), guarded(lambda n: n + value)]


EXERCISE.misconception(
    "epsilon-too-large",
    "Short vectors are lost",
    "The small number that protects your division is not small enough: a vector that is shorter "
    "than it is not made as long as the others. The text says how large it may be.",
    *(variant for value in (1e-1, 1e-2, 1e-3, 1e-4) for variant in limit(value)),
)

EXERCISE.misconception(
    "key-norms-not-turned",
    "The lengths of the keys stand in a column",
    "You divide by the lengths of queries and keys, both as columns. One row belongs to one query, "
    "but one *column* to one key: the lengths of the keys must lie in a row.",
    lambda query, key: query @ key.mT / (norms(query) * norms(key)).clamp(min=1e-9),
    lambda query, key: query @ key.mT / norms(query) / norms(key),
)
