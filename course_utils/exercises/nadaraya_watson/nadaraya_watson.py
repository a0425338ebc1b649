"""Unit 01: what its exercises ask, how they are judged, and what students get wrong in them."""

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from course_utils import nadaraya_watson as ref
from course_utils import syntax
from course_utils.exercise import Case, Choice, Draw, Exercise, Forbidden, Misconception, Option, Unit
from course_utils.pictures import curve_picture, weights_picture
from course_utils.properties import no_nan, rows_sum_to_one

# softmax -------------------------------------------------------------------------------------------------------------


def softmax_cases(draw: Draw) -> list[Case]:
    a, b, c = draw.sizes(3)
    tall = draw.normal(b, a) + torch.linspace(0, 200, b)[:, None]  # rows far apart: one shift for all of them underflows
    return [
        Case("a vector", args=(draw.normal(a),)),
        Case("a matrix, along its rows", args=(draw.normal(a, b), -1), gradients=True),
        Case("three axes, along the first", args=(draw.normal(a, b, c), 0)),
        Case("three axes, along the middle", args=(draw.normal(a, b, c), 1)),
        Case("scores of ±10000", args=(torch.tensor([1e4, -1e4, 0.0]),), group="edge"),
        Case("all scores very low", args=(draw.normal(a, b) - 120,), group="edge"),
        Case("rows on very different levels", args=(tall,), group="edge"),
    ]


def _no_keepdim(scores: Tensor, dim: int = -1) -> Tensor:
    exponentials = (scores - scores.amax(dim, keepdim=True)).exp()
    return exponentials / exponentials.sum(dim)


def _global_sum(scores: Tensor, dim: int = -1) -> Tensor:
    exponentials = (scores - scores.amax(dim, keepdim=True)).exp()
    return exponentials / exponentials.sum()


def _global_max(scores: Tensor, dim: int = -1) -> Tensor:
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(dim, keepdim=True)


def _in_place(scores: Tensor, dim: int = -1) -> Tensor:
    scores -= scores.amax(dim, keepdim=True)
    return ref.softmax(scores, dim)


def _pair_subtracted(scores: Tensor, dim: int = -1) -> Any:
    return scores - scores.max(dim, keepdim=True)  # type: ignore[operator]


def _takes_a_pair(tree: ast.AST) -> bool:
    """Is there a maximum along an axis, of which neither `.values` nor `[0]` is taken?"""
    parts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Subscript)]
    return any((call.args or call.keywords) and call not in parts for call in syntax.calls(tree, "max"))


def _clamps_the_scores(tree: ast.AST) -> bool:
    """Are the scores cut off, before anything else is done with them?"""
    calls = [call for name in ("clamp", "clip", "clamp_") for call in syntax.calls(tree, name)]
    cut = [c.func.value for c in calls if isinstance(c.func, ast.Attribute)] + [c.args[0] for c in calls if c.args]
    return any(isinstance(node, ast.Name) and node.id == "scores" for node in cut)


SOFTMAX = Exercise(
    name="softmax",
    points=3,
    section="Softmax: weights that sum to one",
    reference=ref.softmax,
    returns=("weights, same shape as the scores",),
    cases=softmax_cases,
    properties=(no_nan(),),
    picture=weights_picture(0),
    forbidden=(
        Forbidden(
            "Here you write softmax yourself: torch's softmax, Softmax and log_softmax are not allowed. You need exp, sum and max.",
            names=("softmax", "Softmax", "log_softmax", "LogSoftmax", "softmin", "Softmin", "Softmax2d"),
        ),
    ),
    misconceptions=(
        Misconception(
            "no-max-subtraction",
            "exp overflows",
            "For a score of 10000 your `exp` is infinite, and infinity divided by infinity is NaN. Adding the same number to all "
            "scores of a row changes nothing in softmax: which number would make sure that no exponential is larger than 1?",
            lambda scores, dim=-1: scores.exp() / scores.exp().sum(dim, keepdim=True),
        ),
        Misconception(
            "nan-swept-away",
            "NaN replaced by a number",
            "You replace the NaN afterwards. But where it came up, by overflow or by 0 / 0, the weights are already lost: for scores of "
            "10000, -10000 and 0 the first one should get everything, and rows far below 0 have weights as well. Keep the NaN from coming "
            "up: shift the scores before `exp`.",
            syntax=lambda tree: syntax.uses(tree, "nan_to_num", "nan_to_num_", "isnan"),
        ),
        Misconception(
            "clamped-scores",
            "The scores are cut off",
            "You clamp the scores so that `exp` stays finite. Scores beyond the limit all become the same number, and so do their weights. "
            "Only differences between scores count: what could you subtract instead?",
            syntax=_clamps_the_scores,
        ),
        Misconception(
            "max-is-a-pair",
            "A maximum along an axis is a pair",
            "`scores.max(dim)` returns the maxima and where they stand, and you cannot subtract such a pair. Take its `.values`, or use "
            "`amax`.",
            _pair_subtracted,
            syntax=_takes_a_pair,
        ),
        Misconception(
            "global-max",
            "One maximum for all rows",
            "You subtract the maximum of the whole tensor. A row that lies far below it underflows: all its exponentials are 0, and 0 / 0 "
            "is NaN. Each row needs a maximum of its own, along the same axis as the sum.",
            _global_max,
        ),
        Misconception(
            "global-sum",
            "One sum for all rows",
            "You divide by the sum over the whole tensor, so the whole tensor sums to one instead of each row. Which argument of `sum` "
            "says along which axis, and which one keeps that axis for the division?",
            _global_sum,
        ),
        Misconception(
            "missing-keepdim",
            "The summed axis is gone",
            "After `sum(dim)` the axis has disappeared, and broadcasting lines the rest up with the wrong axis (or with none). "
            "`keepdim=True` leaves an axis of length one in its place.",
            _no_keepdim,
        ),
        Misconception(
            "wrong-axis",
            "Normalised along the first axis",
            "You normalise along axis 0 whatever `dim` says: the columns sum to one instead of the rows. Use the argument.",
            lambda scores, dim=-1: ref.softmax(scores, 0),
        ),
        Misconception(
            "fixed-axis",
            "The axis is fixed",
            "You always use axis 1, which is right for a matrix and wrong for everything else. Use the argument `dim`.",
            lambda scores, dim=-1: ref.softmax(scores, 1),
        ),
        Misconception(
            "always-last-axis",
            "The axis is fixed",
            "You always normalise along the last axis. The caller may ask for another one: use the argument `dim`.",
            lambda scores, dim=-1: ref.softmax(scores, -1),
        ),
        Misconception(
            "sigmoid",
            "Each score on its own",
            "A sigmoid squashes each score without looking at the others, so the results do not sum to one. Softmax is a competition: "
            "a score's share depends on all the others of its row.",
            lambda scores, dim=-1: scores.sigmoid(),
        ),
        Misconception(
            "log-softmax",
            "The logarithm of the answer",
            "Your values are the logarithms of the weights (they are negative). One step is missing.",
            lambda scores, dim=-1: scores - scores.logsumexp(dim, keepdim=True),
        ),
        Misconception(
            "divide-by-max",
            "Divided by the largest, not by the sum",
            "You divide by the largest exponential: the largest weight is 1, and the row sums to more than 1. A share is a part of the "
            "sum.",
            lambda scores, dim=-1: (scores - scores.amax(dim, keepdim=True)).exp(),
        ),
        Misconception(
            "base-two",
            "Powers of two",
            "You raise 2 to the scores. That is a softmax too, of scores that are smaller by a factor of ln 2, but not this one: use "
            "`exp`.",
            lambda scores, dim=-1: ref.softmax(scores * 0.6931471805599453, dim),
        ),
        Misconception(
            "no-exponential",
            "Shares of the raw scores",
            "You divide the scores themselves by their sum. With negative scores that gives negative weights, and the sum may be near 0. "
            "What makes every number positive and keeps the order?",
            lambda scores, dim=-1: scores / scores.sum(dim, keepdim=True),
        ),
        Misconception(
            "subtracts-mean",
            "Shifted by the mean",
            "You subtract the mean. That changes nothing in the result, but it does not protect you: the largest score can lie far above "
            "the mean, and `exp` still overflows.",
            lambda scores, dim=-1: (s := (scores - scores.mean(dim, keepdim=True)).exp()) / s.sum(dim, keepdim=True),
        ),
        Misconception(
            "changes-its-input",
            "The input is changed",
            "You subtract in place (`-=`, `sub_`), so the caller's scores are changed as well. Write `scores = scores - …`, which makes "
            "a new tensor.",
            _in_place,
        ),
    ),
)

# gaussian_weights ----------------------------------------------------------------------------------------------------


def squared(queries: Tensor, keys: Tensor) -> Tensor:
    return (queries[:, None] - keys[None, :]) ** 2


def points(draw: Draw, queries: int, keys: int) -> tuple[Tensor, Tensor]:
    """Queries and keys on a common scale, in no particular order."""
    return draw.uniform(queries, low=-2, high=2), draw.uniform(keys, low=-2, high=2)


def far_away(draw: Draw, count: int) -> Tensor:
    """Queries 15 bandwidths of 0.7 from keys up to 2: every exponential is 0 in float32, yet the scores keep five good digits."""
    return draw.uniform(count, low=12.6, high=13.0)


def weights_cases(draw: Draw) -> list[Case]:
    q, k, m = draw.sizes(3, low=2, high=7)
    width = 0.3 + 0.3 * float(draw.uniform())
    return [
        Case(f"{q} queries, {k} keys", args=(*points(draw, q, k), width)),
        Case("a wider bandwidth", args=(*points(draw, k, m), 1.7)),
        Case("as many queries as keys", args=(*points(draw, m, m), 0.6)),
        Case("a bandwidth that is a tensor", args=(*points(draw, m, q), torch.tensor(0.8)), gradients=True),
        Case("one query", args=(*points(draw, 1, k), 0.5), group="edge"),
        Case("a query far from every key", args=(far_away(draw, q), draw.uniform(k, low=-2, high=2), 0.7), group="edge"),
        Case(
            "raw units: populations of 60000 and more",
            args=(torch.tensor([65000.0, 64000.0]), torch.tensor([60000.0, 70000.0, 85000.0]), 5000.0),
            group="edge",
        ),
    ]


def _unstable(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    kernel = (-squared(queries, keys) / (2 * bandwidth**2)).exp()
    return kernel / kernel.sum(-1, keepdim=True)


def _lost_minus(tree: ast.AST) -> bool:
    """A minus sign in front of something that is then squared: (-(q - k)) ** 2."""
    powers = [node.left for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)]
    squares = [c.func.value for c in syntax.calls(tree, "square") + syntax.calls(tree, "pow") if isinstance(c.func, ast.Attribute)]
    squares += [c.args[0] for c in syntax.calls(tree, "square") + syntax.calls(tree, "pow") if c.args]
    inner = [part.left if isinstance(part, ast.BinOp) else part for part in powers + squares]  # also (-(q - k) / bandwidth) ** 2
    return any(isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub) for part in inner)


def _one_nearest(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    nearest = squared(queries, keys).argmin(-1)
    return torch.nn.functional.one_hot(nearest, len(keys)).float()


def _inverse_distance(queries: Tensor, keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    weights = 1 / squared(queries, keys)
    return weights / weights.sum(-1, keepdim=True)


IGNORED = (
    "Your weights are the same for every bandwidth. Without it the formula decides for itself how near is near, in whatever units the "
    "keys happen to be: people, or thousands of people. Where does the width of a Gaussian enter?"
)

GAUSSIAN = Exercise(
    name="gaussian_weights",
    points=3,
    section="The Gaussian kernel and its bandwidth",
    reference=ref.gaussian_weights,
    returns=("weights (Q, K)",),
    cases=weights_cases,
    properties=(rows_sum_to_one(0),),
    picture=weights_picture(0),
    misconceptions=(
        Misconception(
            "lost-minus",
            "The square swallows the minus",
            "You wrote the minus inside the square: (-(q - k))² is the same as (q - k)². The far keys win. The minus belongs in front of "
            "the square.",
            lambda q, k, bandwidth: ref.softmax(squared(q, k) / (2 * bandwidth**2)),
            syntax=_lost_minus,
        ),
        Misconception(
            "distance-as-similarity",
            "Distance used as similarity",
            "The further away a key is, the more weight you give it. A squared distance is large where the similarity should be small: "
            "what turns one into the other?",
            lambda q, k, bandwidth: ref.softmax(squared(q, k) / (2 * bandwidth**2)),
        ),
        Misconception(
            "laplace-kernel",
            "A Laplace kernel, not a Gaussian one",
            "You use the absolute distance. That is a kernel too (Laplace's), with a sharp peak and heavier tails. The Gaussian has the "
            "squared distance, over 2 · bandwidth².",
            lambda q, k, bandwidth: ref.softmax(-squared(q, k).sqrt() / bandwidth),
        ),
        Misconception(
            "laplace-kernel",
            "The distance is not squared",
            "You divide by 2 · bandwidth², but the distance above it is not squared. In the Gaussian both are, so that their units cancel.",
            lambda q, k, bandwidth: ref.softmax(-(q[:, None] - k).abs() / (2 * bandwidth**2)),
        ),
        Misconception(
            "no-softmax",
            "Scores, not weights",
            "You return the scores themselves: they are negative and sum to nothing in particular. What makes positive numbers of them "
            "that sum to one?",
            lambda q, k, bandwidth: -squared(q, k) / (2 * bandwidth**2),
        ),
        Misconception(
            "not-normalised",
            "Not normalised",
            "You return exp(score). Each row must still be divided by its sum, so that a prediction is an average and not a sum.",
            lambda q, k, bandwidth: (-squared(q, k) / (2 * bandwidth**2)).exp(),
        ),
        Misconception(
            "exponentiated-twice",
            "Exponentiated twice",
            "You take exp of the scores and then softmax, which takes exp again: the weights come out almost equal. Softmax wants the "
            "scores.",
            lambda q, k, bandwidth: ref.softmax((-squared(q, k) / (2 * bandwidth**2)).exp()),
        ),
        Misconception(
            "bandwidth-inverted",
            "The bandwidth the wrong way round",
            "With you a larger bandwidth makes the weights sharper. A bandwidth is a width: divide the distance by it. (Some texts "
            "multiply by w = 1/σ; here it is σ.)",
            lambda q, k, bandwidth: ref.softmax(-squared(q, k) * bandwidth**2 / 2),
        ),
        Misconception(
            "missing-half",
            "The factor 1/2 is missing",
            "Your curve is narrower than asked for by a factor of √2: the Gaussian has -(q - k)² / (2 · bandwidth²), with a 2.",
            lambda q, k, bandwidth: ref.softmax(-squared(q, k) / bandwidth**2),
        ),
        Misconception(
            "bandwidth-not-squared",
            "The bandwidth is not squared",
            "You divide by 2 · bandwidth. In the Gaussian the distance and the bandwidth are both squared, so that their units cancel.",
            lambda q, k, bandwidth: ref.softmax(-squared(q, k) / (2 * bandwidth)),
        ),
        Misconception(
            "bandwidth-ignored",
            "The bandwidth is not used",
            IGNORED,
            lambda q, k, bandwidth: ref.softmax(-squared(q, k)),
        ),
        Misconception(
            "bandwidth-ignored",
            "The bandwidth is not used",
            IGNORED,
            lambda q, k, bandwidth: ref.softmax(-squared(q, k) / 2),
        ),
        Misconception(
            "one-nearest-neighbour",
            "One neighbour takes all",
            "You give the nearest key all the weight. That is the limit of a bandwidth of 0; here every key has its share, by how near "
            "it is.",
            _one_nearest,
        ),
        Misconception(
            "inverse-distance",
            "Inverse distance weights",
            "You weigh by 1 / distance². That is another estimator (Shepard's): it has no bandwidth, and it is infinite where a query "
            "meets a key.",
            _inverse_distance,
        ),
        Misconception(
            "transposed",
            "Keys and queries swapped",
            "Your matrix is (K, Q): one row per key. One row belongs to one query here, and the softmax runs over the keys.",
            lambda q, k, bandwidth: ref.gaussian_weights(q, k, bandwidth).T,
        ),
        Misconception(
            "softmax-over-queries",
            "Softmax over the queries",
            "Your columns sum to one. The shares of all keys for one query sum to one: that is a row.",
            lambda q, k, bandwidth: ref.softmax(-squared(q, k) / (2 * bandwidth**2), dim=0),
        ),
        Misconception(
            "no-outer-difference",
            "Queries and keys paired off",
            "`queries - keys` subtracts element by element, and works only if there are equally many. Every query meets every key: give "
            "one of them a new axis.",
            lambda q, k, bandwidth: ref.softmax(-((q - k) ** 2) / (2 * bandwidth**2)),
        ),
        Misconception(
            "underflow",
            "All exponentials are zero",
            "For a query far from every key all your exponentials round to 0, and 0 / 0 is NaN. Your softmax from the first exercise "
            "takes care of that.",
            _unstable,
        ),
    ),
)

# nadaraya_watson -----------------------------------------------------------------------------------------------------


def regression_cases(draw: Draw) -> list[Case]:
    q, k, m = draw.sizes(3, low=2, high=7)

    def data(queries: int, keys: int) -> tuple[Tensor, Tensor, Tensor]:
        return *points(draw, queries, keys), draw.normal(keys)

    return [
        Case(f"{q} queries, {k} points", args=(*data(q, k), 0.5)),
        Case(f"{m} queries, {q} points, wider", args=(*data(m, q), 1.3)),
        Case("as many queries as points", args=(*data(m, m), 0.7)),
        Case("gradients", args=(*data(k, m), torch.tensor(0.9)), gradients=True),
        Case("a single point", args=(*data(q, 1), 0.4), group="edge"),
        Case("queries far from all points", args=(far_away(draw, q), *data(q, k)[1:], 0.7), group="edge"),
        Case(
            "the table of populations and profits",
            args=(torch.tensor([65000.0]), torch.tensor([60000.0, 70000.0, 85000.0]), torch.tensor([175000.0, 200000.0, 210000.0]), 8000.0),
            group="edge",
        ),
    ]


def predicts_with(weights: Callable[..., Tensor]) -> Callable[..., Any]:
    """The estimator with other weights, as a variant."""

    def variant(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> tuple[Tensor, Tensor]:
        matrix = weights(queries, keys, bandwidth)
        return matrix @ values, matrix

    return variant


def _mean_instead_of_sum(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, keys, bandwidth)
    return (weights * values).mean(-1), weights


def _only_predictions(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    return ref.nadaraya_watson(queries, keys, values, bandwidth)[0]


def _weights_times_keys(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, keys, bandwidth)
    return weights @ keys, weights


def _column(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, keys, bandwidth)
    return weights @ values[:, None], weights


def _weights_transposed(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> tuple[Tensor, Tensor]:
    predictions, weights = ref.nadaraya_watson(queries, keys, values, bandwidth)
    return predictions, weights.T


def _plain_mean(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> tuple[Tensor, Tensor]:
    weights = torch.full((len(queries), len(keys)), 1 / len(keys))
    return weights @ values, weights


def _compares_values(queries: Tensor, keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> tuple[Tensor, Tensor]:
    weights = ref.gaussian_weights(queries, values, bandwidth)
    return weights @ values, weights


REGRESSION = Exercise(
    name="nadaraya_watson",
    points=3,
    section="Nadaraya-Watson regression",
    reference=ref.nadaraya_watson,
    returns=("predictions (Q,)", "weights (Q, K)"),
    cases=regression_cases,
    properties=(rows_sum_to_one(1),),
    picture=curve_picture(0),
    tolerance=2e-5,
    misconceptions=(
        Misconception(
            "mean-instead-of-sum",
            "The mean of the weighted values",
            "Your predictions are too small by the number of points: the weights already sum to one, so the weighted values are added "
            "up, not averaged again.",
            _mean_instead_of_sum,
        ),
        Misconception(
            "weights-missing",
            "The weights are missing",
            "You return the predictions alone. The weights say where the model looked: return both, predictions first.",
            _only_predictions,
        ),
        Misconception(
            "keys-averaged",
            "The keys are averaged, not the values",
            "Your prediction is an average of the keys. Keys say where to look; what is brought back from there are the values.",
            _weights_times_keys,
        ),
        Misconception(
            "compares-values",
            "The queries are compared with the values",
            "You compare each query with the *values*: a population with a profit. Queries are compared with the keys; the values are what "
            "is brought back, and have no say in where from.",
            _compares_values,
        ),
        Misconception(
            "column-of-predictions",
            "A column instead of a vector",
            "Your predictions have shape (Q, 1), asked for is (Q,): one number per query.",
            _column,
        ),
        Misconception(
            "transposed",
            "The weights lie on their side",
            "Your predictions are right, but the weights you return have one row per key. The course's convention is one row per query: "
            "(Q, K), so that each row sums to one.",
            _weights_transposed,
        ),
        Misconception(
            "plain-mean",
            "Every point counts the same",
            "You predict the mean of all values for every query. That is the limit of an infinite bandwidth; near points must count for "
            "more.",
            _plain_mean,
        ),
        *(
            replace(known, variant=predicts_with(known.variant))
            for known in GAUSSIAN.misconceptions
            if known.variant is not None and known.slug != "transposed"
        ),
    ),
)

# leave_one_out_error -------------------------------------------------------------------------------------------------


def loo_cases(draw: Draw) -> list[Case]:
    k, m = draw.sizes(2, low=4, high=9)

    def data(count: int) -> tuple[Tensor, Tensor]:
        return draw.uniform(count, low=-2, high=2), draw.normal(count)

    far = torch.cat([draw.uniform(m, low=-1, high=1), torch.tensor([10.2])])  # its nearest neighbour is 15 bandwidths away
    apart = (1 + 0.3 * torch.arange(m)).cumsum(0)[draw.permutation(m)]  # no two neighbours equally near: the nearest takes all
    return [
        Case(f"{k} points", args=(*data(k), torch.tensor(0.5))),
        Case(f"{m} points, wider", args=(*data(m), torch.tensor(1.2))),
        Case("differentiable in the bandwidth", args=(*data(k), torch.tensor(0.8)), gradients=True),
        Case("two points", args=(*data(2), torch.tensor(0.7)), group="edge"),
        Case("one point far away", args=(far, draw.normal(m + 1), torch.tensor(0.6)), group="edge"),
        Case("two points at the same place", args=(_with_twin(draw, k), draw.normal(k + 1), torch.tensor(0.4)), group="edge"),
        Case("a very small bandwidth", args=(apart, draw.normal(m), torch.tensor(0.01)), group="edge"),
    ]


def _with_twin(draw: Draw, count: int) -> Tensor:
    keys = draw.uniform(count, low=-2, high=2)
    return torch.cat([keys, keys[:1]])  # who leaves out "all points at this place" leaves out one too many


def loo_scores(keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    return -squared(keys, keys) / (2 * bandwidth**2)


def _errors(weights: Tensor, values: Tensor) -> Tensor:
    return (weights @ values - values) ** 2


def _in_sample(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    return _errors(ref.softmax(loo_scores(keys, bandwidth)), values).mean()


def _zero_score(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    scores = loo_scores(keys, bandwidth) * (1 - torch.eye(len(keys)))
    return _errors(ref.softmax(scores), values).mean()


def _zero_weight(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    weights = ref.softmax(loo_scores(keys, bandwidth)) * (1 - torch.eye(len(keys)))
    return _errors(weights, values).mean()


def _renormalised(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    weights = ref.softmax(loo_scores(keys, bandwidth)) * (1 - torch.eye(len(keys)))
    return _errors(weights / weights.sum(-1, keepdim=True), values).mean()


def _first_left_out(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    predictions, _ = ref.nadaraya_watson(keys, keys[1:], values[1:], bandwidth)
    return ((predictions - values) ** 2).mean()


def _twins_left_out(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    scores = loo_scores(keys, bandwidth).masked_fill(squared(keys, keys) == 0, -torch.inf)
    return _errors(ref.softmax(scores), values).mean()


def _only_itself(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    scores = loo_scores(keys, bandwidth).masked_fill(~torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return _errors(ref.softmax(scores), values).mean()


def _others_mean(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    return ((((values.sum() - values) / (len(values) - 1)) - values) ** 2).mean()


def _leave(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    scores = loo_scores(keys, bandwidth).masked_fill(torch.eye(len(keys), dtype=torch.bool), -torch.inf)
    return ref.softmax(scores) @ values - values


def leaves_out_with(scores: Callable[[Tensor, Tensor | float], Tensor]) -> Callable[..., Tensor]:
    """The error with other scores, as a variant."""

    def variant(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
        others = scores(squared(keys, keys), bandwidth).masked_fill(torch.eye(len(keys), dtype=torch.bool), -torch.inf)
        return _errors(ref.softmax(others), values).mean()

    return variant


LEAVE_ONE_OUT = Exercise(
    name="leave_one_out_error",
    points=4,
    section="Leave one out",
    reference=ref.leave_one_out_error,
    returns=("the error, a scalar",),
    cases=loo_cases,
    misconceptions=(
        Misconception(
            "in-sample",
            "Every point sees its own answer",
            "You predict each point from all points, itself included. With a small bandwidth it copies its own value, and the error is 0 "
            "however bad the model is. Each point must be predicted from the others alone.",
            _in_sample,
        ),
        Misconception(
            "zero-score",
            "A score of 0 is not no weight",
            "You set the point's own score to 0. But exp(0) = 1, and 0 is the largest score there is here: nothing has been left out. "
            "Which score has the exponential 0?",
            _zero_score,
            syntax=lambda tree: syntax.uses(tree, "eye", "fill_diagonal_", "diag", "masked_fill", "diagonal", "diagonal_scatter"),
        ),
        Misconception(
            "not-renormalised",
            "The other weights no longer sum to one",
            "You set the point's own weight to 0 after the softmax. What it had is missing now: the rest sums to less than one, and the "
            "prediction is too small.",
            _zero_weight,
        ),
        Misconception(
            "renormalised-after",
            "0 divided by 0",
            "Removing the own weight after the softmax and normalising again is right on paper. But where a point's neighbours are far "
            "away, it had all the weight, the others round to 0, and 0 / 0 is NaN. Take it out before the softmax.",
            _renormalised,
        ),
        Misconception(
            "first-left-out",
            "Always the same point left out",
            "You leave out the first point whatever is predicted. Each prediction leaves out another point: its own.",
            _first_left_out,
        ),
        Misconception(
            "twins-left-out",
            "All points at the same place left out",
            "You leave out every point whose key is equal, not only the point itself. Two towns may have the same population, and one may "
            "well predict the other: leave out by position in the list, not by value.",
            _twins_left_out,
        ),
        Misconception(
            "only-itself",
            "Every point but its own is left out",
            "Your error is 0 whatever the data: each point is predicted from itself alone. The mask is the wrong way round.",
            _only_itself,
        ),
        Misconception(
            "plain-mean",
            "Every other point counts the same",
            "You predict each point by the plain mean of the others, so the bandwidth plays no part. Near points must count for more.",
            _others_mean,
        ),
        Misconception(
            "missing-half",
            "The factor 1/2 is missing",
            "Your kernel is narrower than asked for by a factor of √2: the scores are -(distance)² / (2 · bandwidth²), with a 2.",
            leaves_out_with(lambda squares, bandwidth: -squares / bandwidth**2),
        ),
        Misconception(
            "bandwidth-not-squared",
            "The bandwidth is not squared",
            "You divide by 2 · bandwidth. In the Gaussian the distance and the bandwidth are both squared, so that their units cancel.",
            leaves_out_with(lambda squares, bandwidth: -squares / (2 * bandwidth)),
        ),
        Misconception(
            "distance-as-similarity",
            "Distance used as similarity",
            "Each point is predicted from the points that are furthest away: a minus is missing in the scores.",
            leaves_out_with(lambda squares, bandwidth: squares / (2 * bandwidth**2)),
        ),
        Misconception(
            "sum-of-squares",
            "The sum of the squares, not their mean",
            "Your error grows with the number of points. Asked for is the mean squared error.",
            lambda keys, values, bandwidth: (_leave(keys, values, bandwidth) ** 2).sum(),
        ),
        Misconception(
            "absolute-error",
            "The absolute error",
            "You average the absolute errors; asked for are the squared ones.",
            lambda keys, values, bandwidth: _leave(keys, values, bandwidth).abs().mean(),
        ),
        Misconception(
            "root-of-the-mean",
            "The root of the mean squared error",
            "You take a square root at the end. Asked for is the mean squared error itself.",
            lambda keys, values, bandwidth: (_leave(keys, values, bandwidth) ** 2).mean().sqrt(),
        ),
        Misconception(
            "errors-not-averaged",
            "One error per point",
            "You return one error per point. Asked for is one number: their mean.",
            lambda keys, values, bandwidth: _leave(keys, values, bandwidth) ** 2,
        ),
        Misconception(
            "halved-error",
            "Half the error",
            "Your error is half of what is asked for. The 1/2 that some texts put before the squared error is not in the mean squared "
            "error.",
            lambda keys, values, bandwidth: (_leave(keys, values, bandwidth) ** 2).mean() / 2,
        ),
    ),
)

# slides --------------------------------------------------------------------------------------------------------------

SLIDE_UNITS = Choice(
    name="slide_units",
    points=2,
    section="Units decide who is a neighbour",
    right="c",
    options={
        "a": Option(
            "The weights .4, .4 and .2, as the slide says.",
            "Compute it: -(64000 - 60000)² is minus 16 million. The exponentials of such scores are not .4 and .2 of anything.",
            "trusts-the-slide",
        ),
        "b": Option(
            "The weights .5, .5 and 0: the two nearest towns share, the third is too far away.",
            "That is true for 65000, which lies exactly in the middle. For 64000 the difference of the two scores is 20 million: the "
            "exponential of that is not 1.",
            "tie-everywhere",
        ),
        "c": Option(
            "The weights 1, 0 and 0: in these units the formula can only pick the nearest neighbour.",
            "Right. Scores of minus millions make softmax a hard choice. A bandwidth of a few thousand, or standardised populations, "
            "gives weights like those on the slide.",
        ),
        "d": Option(
            "NaN: with such numbers the exponentials overflow.",
            "A softmax that subtracts the maximum never overflows. The weights are perfectly finite, and perfectly useless.",
            "fears-overflow",
        ),
    },
)

SLIDE_DISTANCE = Choice(
    name="slide_distance",
    points=2,
    section="From distance to similarity",
    right="b",
    options={
        "a": Option(
            "The third distance: it should be 10².",
            "|30 - 5| is 25 and |30 - 15| is 15. Neither is 10.",
            "miscounts-the-third",
        ),
        "b": Option(
            "The query: the distances 5, 5 and 15 belong to x = 15, not to x = 5.",
            "Right. From x = 5 the distances are 5, 15 and 25, and softmax gives 1, 0 and 0.",
        ),
        "c": Option(
            "The minus sign: with it the far points win.",
            "The other way round: the minus makes the near points win, because it gives them the larger score.",
            "minus-the-wrong-way",
        ),
        "d": Option(
            "The last weight: exp(-225) is exactly 0, so the row does not sum to one.",
            "exp(-225) is about 10⁻⁹⁸: not 0, but too small to matter. A row that is .5, .5 and next to nothing sums to one.",
            "zero-breaks-the-sum",
        ),
    },
)

SLIDE_CODE = Choice(
    name="slide_code",
    points=2,
    section="Three traps in one line of code",
    right="b",
    options={
        "a": Option(
            "It returns 187500 and nothing else happens.",
            "It would, almost, if the table held floating-point numbers. Look at the numbers in the call: there is no decimal point in "
            "them.",
            "integers-are-fine",
        ),
        "b": Option(
            "It raises an error: softmax is not defined for whole numbers.",
            "Right. A table typed without decimal points is a tensor of dtype int64, and exp of it would not fit there. With "
            "`dataset.float()` the "
            "function runs, returns 187500, and warns that softmax was not told along which axis to work.",
        ),
        "c": Option(
            "It returns 210000: the square swallows the minus, so the furthest town wins.",
            "In Python `**` binds more tightly than a minus in front: `-(a - b) ** 2` is minus the square. With one more pair of brackets, "
            "`(-(a - b)) ** 2`, you would be right.",
            "minus-before-square",
        ),
        "d": Option(
            "It returns a wrong number: without `dim` softmax takes the wrong axis.",
            "The populations are one column, a vector: there is only one axis to take. For a matrix of scores the missing `dim` would be "
            "a trap.",
            "axis-of-a-vector",
        ),
    },
)

UNIT = Unit(
    name="01_nadaraya_watson",
    title="Prediction by similarity: Nadaraya-Watson",
    exercises=(SOFTMAX, GAUSSIAN, REGRESSION, LEAVE_ONE_OUT, SLIDE_UNITS, SLIDE_DISTANCE, SLIDE_CODE),
)
