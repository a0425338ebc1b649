"""Nadaraya-Watson regression: `nadaraya_watson(queries, keys, values, bandwidth)`.

(Q,), (K,), (K,), scalar -> predictions (Q,), weights (Q, K).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import nadaraya_watson as ref
from course_utils.exercises.nadaraya_watson._shared import far_away, points
from course_utils.exercises.nadaraya_watson.gaussian_weights import EXERCISE as GAUSSIAN_WEIGHTS
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import curve_picture
from course_utils.judging.promises import positive
from course_utils.judging.properties import rows_sum_to_one


def cases(draw: Draw) -> list[Case]:
    q, k, m = draw.sizes(3, low=2, high=7)

    def data(queries: int, keys: int) -> tuple[Tensor, Tensor, Tensor]:
        return *points(draw, queries, keys), draw.normal(keys)

    return [
        Case(
            "the example of the text",
            args=(
                torch.tensor([0.0, 1.0]),
                torch.tensor([0.0, 2.0]),
                torch.tensor([10.0, 20.0]),
                1.0,
            ),
        ),
        Case(f"{q} queries, {k} points", args=(*data(q, k), 0.5)),
        Case(f"{m} queries, {q} points, wider", args=(*data(m, q), 1.3)),
        Case("as many queries as points", args=(*data(m, m), 0.7)),
        Case("gradients", args=(*data(k, m), torch.tensor(0.9)), gradients=True),
        Case("a single point", args=(*data(q, 1), 0.4), group="edge"),
        Case(
            "queries far from all points",
            args=(far_away(draw, q), *data(q, k)[1:], 0.7),
            group="edge",
        ),
        Case(
            "the table of populations and profits",
            args=(
                torch.tensor([65000.0]),
                torch.tensor([60000.0, 70000.0, 85000.0]),
                torch.tensor([175000.0, 200000.0, 210000.0]),
                8000.0,
            ),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="nadaraya_watson",
    points=3,
    section="Nadaraya-Watson regression",
    reference=ref.nadaraya_watson,
    returns=("predictions (Q,)", "weights (Q, K)"),
    cases=cases,
    promised=positive(3),
    properties=(rows_sum_to_one(1),),
    picture=curve_picture(0),
    tolerance=2e-5,
)


@EXERCISE.misconception(
    "mean-instead-of-sum",
    "The mean of the weighted values",
    "Your predictions are too small by the number of points: the weights already sum to one, so "
    "the weighted values are added up, not averaged again.",
)
def mean_instead_of_sum(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, keys, bandwidth)
    return (weights * values).mean(-1), weights


@EXERCISE.misconception(
    "weights-missing",
    "The weights are missing",
    "You return the predictions alone. The weights say where the model looked: return both, "
    "predictions first.",
)
def only_predictions(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> Tensor:
    return ref.nadaraya_watson(queries, keys, values, bandwidth)[0]


@EXERCISE.misconception(
    "keys-averaged",
    "The keys are averaged, not the values",
    "Your prediction is an average of the keys. Keys say where to look; what is brought back from "
    "there are the values.",
)
def weights_times_keys(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, keys, bandwidth)
    return weights @ keys, weights


@EXERCISE.misconception(
    "compares-values",
    "The queries are compared with the values",
    "You compare each query with the *values*: a population with a profit. Queries are compared "
    "with the keys; the values are what is brought back, and have no say in where from.",
)
def compares_values(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, values, bandwidth)
    return weights @ values, weights


@EXERCISE.misconception(
    "column-of-predictions",
    "A column instead of a vector",
    "Your predictions have shape (Q, 1), asked for is (Q,): one number per query.",
)
def column(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, keys, bandwidth)
    return weights @ values[:, None], weights


@EXERCISE.misconception(
    "transposed",
    "The weights are transposed",
    "Your predictions are right, but the weights you return have one row per key. The course's "
    "convention is one row per query: (Q, K), so that each row sums to one.",
)
def weights_transposed(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> tuple[Tensor, Tensor]:
    predictions, weights = ref.nadaraya_watson(queries, keys, values, bandwidth)
    return predictions, weights.T


@EXERCISE.misconception(
    "plain-mean",
    "Every point counts the same",
    "You predict the mean of all values for every query. That is the limit of an infinite "
    "bandwidth; near points must count for more.",
)
def plain_mean(
    queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
) -> tuple[Tensor, Tensor]:
    weights = torch.full((len(queries), len(keys)), 1 / len(keys))
    return weights @ values, weights


def predicts_with(weights: Callable[..., Tensor]) -> Callable[..., Any]:
    """The estimator with other weights, as a variant."""

    def variant(
        queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float
    ) -> tuple[Tensor, Tensor]:
        matrix = weights(queries, keys, bandwidth)
        return matrix @ values, matrix

    return variant


EXERCISE.borrow(GAUSSIAN_WEIGHTS, predicts_with, but=("transposed",))
