"""Gaussian weights: `gaussian_weights(queries, keys, bandwidth)`.

(Q,), (K,), scalar -> (Q, K): how much each key counts for each query.
"""

import ast

import torch
from torch import Tensor

from course_utils import nadaraya_watson as ref
from course_utils.exercises.nadaraya_watson._shared import far_away, points, squared
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.pictures import weights_picture
from course_utils.judging.promises import positive
from course_utils.judging.properties import rows_sum_to_one


def cases(draw: Draw) -> list[Case]:
    q, k, m = draw.sizes(3, low=2, high=7)
    width = 0.3 + 0.3 * float(draw.uniform())
    return [
        Case(
            "the example of the text",
            args=(torch.tensor([0.0, 1.0]), torch.tensor([0.0, 2.0]), 1.0),
        ),
        Case(f"{q} queries, {k} keys", args=(*points(draw, q, k), width)),
        Case("a wider bandwidth", args=(*points(draw, k, m), 1.7)),
        Case("as many queries as keys", args=(*points(draw, m, m), 0.6)),
        Case(
            "a bandwidth that is a tensor",
            args=(*points(draw, m, q), torch.tensor(0.8)),
            gradients=True,
        ),
        Case("one query", args=(*points(draw, 1, k), 0.5), group="edge"),
        Case(
            "a query far from every key",
            args=(far_away(draw, q), draw.uniform(k, low=-2, high=2), 0.7),
            group="edge",
        ),
        Case(
            "raw units: populations of 60000 and more",
            args=(
                torch.tensor([65000.0, 64000.0]),
                torch.tensor([60000.0, 70000.0, 85000.0]),
                5000.0,
            ),
            group="edge",
        ),
    ]


EXERCISE = Exercise(
    name="gaussian_weights",
    points=3,
    section="The Gaussian kernel and its bandwidth",
    reference=ref.gaussian_weights,
    returns=("weights (Q, K)",),
    cases=cases,
    promised=positive(2),
    properties=(rows_sum_to_one(0),),
    picture=weights_picture(0),
)


def lost_minus(tree: ast.AST) -> bool:
    """A minus sign in front of something that is then squared: (-(q - k)) ** 2."""
    powers = [
        node.left
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
    ]
    squares = [
        c.func.value
        for c in syntax.calls(tree, "square") + syntax.calls(tree, "pow")
        if isinstance(c.func, ast.Attribute)
    ]
    squares += [
        c.args[0] for c in syntax.calls(tree, "square") + syntax.calls(tree, "pow") if c.args
    ]
    # Also (-(q - k) / bandwidth) ** 2
    inner = [part.left if isinstance(part, ast.BinOp) else part for part in powers + squares]
    return any(isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) for part in inner)


EXERCISE.misconception(
    "lost-minus",
    "The square swallows the minus",
    "You wrote the minus inside the square: (-(q - k))² is the same as (q - k)². The far keys "
    "win. The minus belongs in front of the square.",
    lambda q, k, bandwidth: ref.softmax(squared(q, k) / (2 * bandwidth**2)),
    syntax=lost_minus,
)

EXERCISE.misconception(
    "distance-as-similarity",
    "Distance used as similarity",
    "The further away a key is, the more weight you give it. A squared distance is large where "
    "the similarity should be small: what turns one into the other?",
    lambda q, k, bandwidth: ref.softmax(squared(q, k) / (2 * bandwidth**2)),
)

EXERCISE.misconception(
    "laplace-kernel",
    "A Laplace kernel, not a Gaussian one",
    "You use the absolute distance. That is a kernel too (Laplace's), with a sharp peak and "
    "heavier tails. The Gaussian has the squared distance, over 2 · bandwidth².",
    lambda q, k, bandwidth: ref.softmax(-squared(q, k).sqrt() / bandwidth),
)

EXERCISE.misconception(
    "laplace-kernel",
    "The distance is not squared",
    "You divide by 2 · bandwidth², but the distance above it is not squared. In the Gaussian both "
    "are, so that their units cancel.",
    lambda q, k, bandwidth: ref.softmax(-(q[:, None] - k).abs() / (2 * bandwidth**2)),
)

EXERCISE.misconception(
    "no-softmax",
    "Scores, not weights",
    "You return the scores themselves: they are negative and sum to nothing in particular. What "
    "makes positive numbers of them that sum to one?",
    lambda q, k, bandwidth: -squared(q, k) / (2 * bandwidth**2),
)

EXERCISE.misconception(
    "not-normalised",
    "Not normalised",
    "You return exp(score). Each row must still be divided by its sum, so that a prediction is an "
    "average and not a sum.",
    lambda q, k, bandwidth: (-squared(q, k) / (2 * bandwidth**2)).exp(),
)

EXERCISE.misconception(
    "exponentiated-twice",
    "Exponentiated twice",
    "You take exp of the scores and then softmax, which takes exp again: the weights come out "
    "almost equal. Softmax wants the scores.",
    lambda q, k, bandwidth: ref.softmax((-squared(q, k) / (2 * bandwidth**2)).exp()),
)

EXERCISE.misconception(
    "bandwidth-inverted",
    "The bandwidth the wrong way round",
    "In your answer a larger bandwidth makes the weights sharper. A bandwidth is a width: divide "
    "the distance by it. (Some texts multiply by w = 1/σ; here it is σ.)",
    lambda q, k, bandwidth: ref.softmax(-squared(q, k) * bandwidth**2 / 2),
)

EXERCISE.misconception(
    "missing-half",
    "The factor 1/2 is missing",
    "Your curve is narrower than asked for by a factor of √2: the Gaussian has -(q - k)² / (2 · "
    "bandwidth²), with a 2.",
    lambda q, k, bandwidth: ref.softmax(-squared(q, k) / bandwidth**2),
)

EXERCISE.misconception(
    "bandwidth-not-squared",
    "The bandwidth is not squared",
    "You divide by 2 · bandwidth. In the Gaussian the distance and the bandwidth are both "
    "squared, so that their units cancel.",
    lambda q, k, bandwidth: ref.softmax(-squared(q, k) / (2 * bandwidth)),
)

EXERCISE.misconception(
    "bandwidth-ignored",
    "The bandwidth is not used",
    "Your weights are the same for every bandwidth. Without it the formula decides for itself how "
    "near is near, in whatever units the keys happen to be: people, or thousands of people. Where "
    "does the width of a Gaussian enter?",
    lambda q, k, bandwidth: ref.softmax(-squared(q, k)),
    lambda q, k, bandwidth: ref.softmax(-squared(q, k) / 2),
)


@EXERCISE.misconception(
    "one-nearest-neighbour",
    "One neighbour takes all",
    "You give the nearest key all the weight. That is the limit of a bandwidth of 0; here every "
    "key has its share, by how near it is.",
)
def one_nearest(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    nearest = squared(queries, keys).argmin(-1)
    return torch.nn.functional.one_hot(nearest, len(keys)).float()


@EXERCISE.misconception(
    "inverse-distance",
    "Inverse distance weights",
    "You weigh by 1 / distance². That is another estimator (Shepard's): it has no bandwidth, and "
    "it is infinite where a query meets a key.",
)
def inverse_distance(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    weights = 1 / squared(queries, keys)
    return weights / weights.sum(-1, keepdim=True)


EXERCISE.misconception(
    "transposed",
    "Keys and queries swapped",
    "Your matrix is (K, Q): one row per key. One row belongs to one query here, and the "
    "softmax runs over the keys.",
    lambda q, k, bandwidth: ref.gaussian_weights(q, k, bandwidth).T,
    lambda q, k, bandwidth: ref.gaussian_weights(k, q, bandwidth),
)

EXERCISE.misconception(
    "softmax-over-queries",
    "Softmax over the queries",
    "Your columns sum to one. The shares of all keys for one query sum to one: that is a row.",
    lambda q, k, bandwidth: ref.softmax(-squared(q, k) / (2 * bandwidth**2), dim=0),
)

EXERCISE.misconception(
    "no-outer-difference",
    "Queries and keys paired off",
    "`queries - keys` subtracts element by element, and works only if there are equally many. "
    "Every query meets every key: give one of them a new axis.",
    lambda q, k, bandwidth: ref.softmax(-((q - k) ** 2) / (2 * bandwidth**2)),
)


@EXERCISE.misconception(
    "underflow",
    "All exponentials are zero",
    "For a query far from every key all your exponentials round to 0, and 0 / 0 is NaN. Your "
    "softmax from the first exercise takes care of that.",
)
def unstable(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    kernel = (-squared(queries, keys) / (2 * bandwidth**2)).exp()
    return kernel / kernel.sum(-1, keepdim=True)


@EXERCISE.misconception(
    "underflow",
    "All exponentials are zero",
    "For a query far from every key all your exponentials round to 0. You keep the sum from being "
    "0, so there is no NaN, but the row is all zeros and no longer sums to one. Your softmax from "
    "the first exercise takes care of that.",
)
def guarded(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    kernel = (-squared(queries, keys) / (2 * bandwidth**2)).exp()
    return kernel / kernel.sum(-1, keepdim=True).clamp(min=1e-12)
