"""Leave one out: `leave_one_out_error(keys, values, bandwidth)`.

(K,), (K,), scalar tensor -> scalar: mean squared error, every point predicted from all the
others.
"""

import torch
from torch import Tensor

from course_utils import nadaraya_watson as ref
from course_utils.exercises.nadaraya_watson._shared import squared
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.promises import all_of, at_least_two, positive

from ._left_out import leave, leaves_out_with


def cases(draw: Draw) -> list[Case]:
    k, m = draw.sizes(2, low=4, high=9)

    def data(count: int) -> tuple[Tensor, Tensor]:
        return draw.uniform(count, low=-2, high=2), draw.normal(count)

    # Its nearest neighbour is 15 bandwidths away
    far = torch.cat([draw.uniform(m, low=-1, high=1), torch.tensor([10.2])])
    # No two neighbours equally near: the nearest takes all
    apart = (1 + 0.3 * torch.arange(m)).cumsum(0)[draw.permutation(m)]
    return [
        Case(
            "the example of the text",
            args=(torch.tensor([0.0, 1.0, 3.0]), torch.tensor([0.0, 1.0, 2.0]), torch.tensor(1.0)),
        ),
        Case(f"{k} points", args=(*data(k), torch.tensor(0.5))),
        Case(f"{m} points, wider", args=(*data(m), torch.tensor(1.2))),
        Case("differentiable in the bandwidth", args=(*data(k), torch.tensor(0.8)), gradients=True),
        Case("two points", args=(*data(2), torch.tensor(0.7)), group="edge"),
        Case("one point far away", args=(far, draw.normal(m + 1), torch.tensor(0.6)), group="edge"),
        Case(
            "two points at the same place",
            args=(with_twin(draw, k), draw.normal(k + 1), torch.tensor(0.4)),
            group="edge",
        ),
        Case(
            "a very small bandwidth", args=(apart, draw.normal(m), torch.tensor(0.01)), group="edge"
        ),
    ]


def with_twin(draw: Draw, count: int) -> Tensor:
    keys = draw.uniform(count, low=-2, high=2)
    # Who leaves out "all points at this place" leaves out one too many
    return torch.cat([keys, keys[:1]])


EXERCISE = Exercise(
    name="leave_one_out_error",
    points=4,
    section="Leave one out",
    reference=ref.leave_one_out_error,
    returns=("the error, a scalar",),
    cases=cases,
    promised=all_of(positive(2), at_least_two(0)),
)


def loo_scores(keys: Tensor, bandwidth: Tensor | float) -> Tensor:
    return -squared(keys, keys) / (2 * bandwidth**2)


def errors(weights: Tensor, values: Tensor) -> Tensor:
    return (weights @ values - values) ** 2


@EXERCISE.misconception(
    "in-sample",
    "Every point sees its own answer",
    "You predict each point from all points, itself included. With a small bandwidth it copies "
    "its own value, and the error is 0 however bad the model is. Each point must be predicted "
    "from the others alone.",
)
def in_sample(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    return errors(ref.softmax(loo_scores(keys, bandwidth)), values).mean()


@EXERCISE.misconception(
    "zero-score",
    "A score of 0 is not a weight of 0",
    "You set the point's own score to 0. But exp(0) = 1, and 0 is the largest score there is "
    "here: nothing has been left out. Which score has the exponential 0?",
    syntax=lambda tree: syntax.uses(
        tree, "eye", "fill_diagonal_", "diag", "masked_fill", "diagonal", "diagonal_scatter"
    ),
)
def zero_score(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    scores = loo_scores(keys, bandwidth) * (1 - torch.eye(len(keys)))
    return errors(ref.softmax(scores), values).mean()


@EXERCISE.misconception(
    "not-renormalised",
    "The other weights no longer sum to one",
    "You set the point's own weight to 0 after the softmax. What it had is missing now: the rest "
    "sums to less than one, and the prediction is too small.",
)
def zero_weight(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    weights = ref.softmax(loo_scores(keys, bandwidth)) * (1 - torch.eye(len(keys)))
    return errors(weights, values).mean()


@EXERCISE.misconception(
    "renormalised-after",
    "0 divided by 0",
    "Removing the own weight after the softmax and normalising again is right on paper. But where "
    "a point's neighbours are far away, it had all the weight, the others round to 0, and 0 / 0 "
    "is NaN. Take it out before the softmax.",
)
def renormalised(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    weights = ref.softmax(loo_scores(keys, bandwidth)) * (1 - torch.eye(len(keys)))
    return errors(weights / weights.sum(-1, keepdim=True), values).mean()


@EXERCISE.misconception(
    "first-left-out",
    "Always the same point left out",
    "You leave out the first point whatever is predicted. Each prediction leaves out another "
    "point: its own.",
)
def first_left_out(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    predictions, _ = ref.nadaraya_watson(keys, keys[1:], values[1:], bandwidth)
    return ((predictions - values) ** 2).mean()


@EXERCISE.misconception(
    "twins-left-out",
    "All points at the same place left out",
    "You leave out every point whose key is equal, not only the point itself. Two towns may have "
    "the same population, and one may well predict the other: leave out by position in the list, "
    "not by value.",
)
def twins_left_out(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    scores = loo_scores(keys, bandwidth).masked_fill(squared(keys, keys) == 0, -torch.inf)
    return errors(ref.softmax(scores), values).mean()


@EXERCISE.misconception(
    "only-itself",
    "Every point but its own is left out",
    "Your error is 0 whatever the data: each point is predicted from itself alone. The mask is "
    "the wrong way round.",
)
def only_itself(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    scores = loo_scores(keys, bandwidth).masked_fill(
        ~torch.eye(len(keys), dtype=torch.bool), -torch.inf
    )
    return errors(ref.softmax(scores), values).mean()


@EXERCISE.misconception(
    "plain-mean",
    "Every other point counts the same",
    "You predict each point by the plain mean of the others, so the bandwidth plays no part. Near "
    "points must count for more.",
)
def others_mean(keys: Tensor, values: Tensor, bandwidth: Tensor | float) -> Tensor:
    return ((((values.sum() - values) / (len(values) - 1)) - values) ** 2).mean()


EXERCISE.misconception(
    "fill-not-low-enough",
    "The fill is not low enough",
    "You give the point itself a low score, but scores can be lower: with a small bandwidth the "
    "nearest other point may score below -5000. Then the point itself wins, and the error is 0. "
    "Which score can never win?",
    *(leaves_out_with(fill=fill) for fill in (-10.0, -50.0, -99.0, -100.0, -1e3, -9999.0, -1e4)),
)

EXERCISE.misconception(
    "missing-half",
    "The factor 1/2 is missing",
    "Your kernel is narrower than asked for by a factor of √2: the scores are -(distance)² / (2 · "
    "bandwidth²), with a 2.",
    leaves_out_with(lambda squares, bandwidth: -squares / bandwidth**2),
)

EXERCISE.misconception(
    "bandwidth-not-squared",
    "The bandwidth is not squared",
    "You divide by 2 · bandwidth. In the Gaussian the distance and the bandwidth are both "
    "squared, so that their units cancel.",
    leaves_out_with(lambda squares, bandwidth: -squares / (2 * bandwidth)),
)

EXERCISE.misconception(
    "distance-as-similarity",
    "Distance used as similarity",
    "Each point is predicted from the points that are furthest away: a minus is missing in the "
    "scores.",
    leaves_out_with(lambda squares, bandwidth: squares / (2 * bandwidth**2)),
)

EXERCISE.misconception(
    "sum-of-squares",
    "The sum of the squares, not their mean",
    "Your error grows with the number of points. Asked for is the mean squared error.",
    lambda keys, values, bandwidth: (leave(keys, values, bandwidth) ** 2).sum(),
)

EXERCISE.misconception(
    "absolute-error",
    "The absolute error",
    "You average the absolute errors; asked for are the squared ones.",
    lambda keys, values, bandwidth: leave(keys, values, bandwidth).abs().mean(),
)

EXERCISE.misconception(
    "root-of-the-mean",
    "The root of the mean squared error",
    "You take a square root at the end. Asked for is the mean squared error itself.",
    lambda keys, values, bandwidth: (leave(keys, values, bandwidth) ** 2).mean().sqrt(),
)

EXERCISE.misconception(
    "errors-not-averaged",
    "One error per point",
    "You return one error per point. Asked for is one number: their mean.",
    lambda keys, values, bandwidth: leave(keys, values, bandwidth) ** 2,
)

EXERCISE.misconception(
    "halved-error",
    "Half the error",
    "Your error is half of what is asked for. The 1/2 that some texts put before the squared "
    "error is not in the mean squared error.",
    lambda keys, values, bandwidth: (leave(keys, values, bandwidth) ** 2).mean() / 2,
)
