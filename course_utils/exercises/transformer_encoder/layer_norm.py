"""Layer norm: `layer_norm(x, gamma, beta, eps=1e-05)`, (..., D), (D,), (D,) -> (..., D)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import transformer_encoder as ref
from course_utils.exercises.transformer_encoder._shared import NOT_ALLOWED
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden
from course_utils.judging.promises import two_features
from course_utils.judging.properties import no_nan


def cases(draw: Draw) -> list[Case]:
    a, b, c, d = draw.sizes(4, low=4, high=8)

    def case(
        label: str, x: Tensor, *eps: float, group: str = "basic", gradients: bool = False
    ) -> Case:
        dim = x.shape[-1]
        return Case(
            label,
            args=(x, 1.5 + draw.normal(dim), draw.normal(dim), *eps),
            group=group,
            gradients=gradients,
        )

    constant = draw.normal(c, d)
    constant[1] = 0.5  # exact in binary: its mean is itself
    # (c, d): no token that hardly varies
    spread = torch.stack([torch.linspace(-2, 2, d)[draw.permutation(d)] for _ in range(c)])
    example = torch.tensor([[1.0, 2.0, 3.0, 6.0]]), torch.ones(4), torch.zeros(4), 0.0
    return [
        Case("the example of the text", args=example),
        case(f"{a} sequences of {b} tokens with {d} features", 2 * draw.normal(a, b, d) + 1),
        case(f"{c} tokens with {b} features", draw.normal(c, b) - 2),
        case("four axes", 3 * draw.normal(a, 2, c, d) + 1),
        case("values and gradients", draw.normal(b, a, c), gradients=True),
        case("one token alone", draw.normal(d), group="edge"),
        case("eps = 0.1", draw.normal(c, a, b), 0.1, group="edge"),
        case("tokens that hardly vary", draw.normal(c, d, scale=2e-3), group="edge"),
        case("a token whose features are all equal", constant, group="edge", gradients=True),
        case(
            "a mean far larger than the spread", spread + 0.2 * draw.normal(c, d) + 60, group="edge"
        ),
    ]


EXERCISE = Exercise(
    name="layer_norm",
    points=3,
    section="Layer norm",
    reference=ref.layer_norm,
    cases=cases,
    promised=two_features,
    tolerance=2e-5,
    properties=(no_nan(),),
    forbidden=(
        Forbidden(
            NOT_ALLOWED.format(
                "normalisations (LayerNorm, layer_norm, group_norm, batch_norm and their kin)"
            ),
            (
                "LayerNorm",
                "layer_norm",
                "group_norm",
                "GroupNorm",
                "batch_norm",
                "BatchNorm1d",
                "native_layer_norm",
                "instance_norm",
            ),
        ),
    ),
)


def normalised(x: Tensor, eps: float, dims: Any = -1, unbiased: bool = False) -> Tensor:
    return (x - x.mean(dims, keepdim=True)) / (
        x.var(dims, unbiased=unbiased, keepdim=True) + eps
    ).sqrt()


def norm_with(body: Callable[[Tensor, Tensor, Tensor, float], Tensor]) -> Callable[..., Tensor]:
    return lambda x, gamma, beta, eps=1e-5: body(x, gamma, beta, eps)


EXERCISE.misconception(
    "unbiased-variance",
    "Divided by D - 1 instead of D",
    "Your variance is a little too large: torch's `var` and `std` divide by D - 1 unless told "
    "otherwise, the estimate for a sample. The D features of a token are not a sample of "
    "anything; layer norm divides by D.",
    norm_with(lambda x, gamma, beta, eps: gamma * normalised(x, eps, unbiased=True) + beta),
)

EXERCISE.misconception(
    "unbiased-and-eps-outside",
    "Divided by D - 1, and eps added to the standard deviation",
    "Two things differ from nn.LayerNorm: `std` divides by D - 1 unless told otherwise, and eps "
    "is added after the root instead of to the variance under it. A famous annotated "
    "implementation does the same; weights cannot be exchanged with torch's then.",
    norm_with(
        lambda x, gamma, beta, eps: (
            gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps) + beta
        )
    ),
)

EXERCISE.misconception(
    "eps-outside",
    "eps outside the square root",
    "You add eps to the standard deviation. It belongs to the variance, under the root: with eps "
    "= 0.1 or a token that hardly varies the difference is plain.",
    norm_with(
        lambda x, gamma, beta, eps: (
            gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, unbiased=False, keepdim=True) + eps)
            + beta
        )
    ),
    norm_with(
        lambda x, gamma, beta, eps: (
            gamma * (c := x - x.mean(-1, keepdim=True)) / ((c * c).mean(-1, True).sqrt() + eps)
            + beta
        )
    ),
)

EXERCISE.misconception(
    "nan-gradient",
    "The gradient is NaN where all features are equal",
    "Your values are right, but for a token whose features are all equal the gradient is NaN: the "
    "root of 0 has no slope, and squaring it again comes too late. One such token ruins every "
    "weight at the next step. Keep the variance as it is: its root is needed only once, after eps "
    "was added.",
    norm_with(
        lambda x, gamma, beta, eps: (
            gamma
            * (c := x - x.mean(-1, keepdim=True))
            / ((c * c).mean(-1, keepdim=True).sqrt() ** 2 + eps).sqrt()
            + beta
        )
    ),
)

EXERCISE.misconception(
    "eps-fixed",
    "The argument eps is not used",
    "Your result does not depend on eps. The caller may ask for another one.",
    norm_with(lambda x, gamma, beta, eps: gamma * normalised(x, 1e-5) + beta),
)

EXERCISE.misconception(
    "eps-missing",
    "0 divided by 0",
    "A token whose features are all equal has variance 0, and you divide by its root. That is "
    "what eps is for.",
    norm_with(lambda x, gamma, beta, eps: gamma * normalised(x, 0.0) + beta),
)

EXERCISE.misconception(
    "no-root",
    "Divided by the variance",
    "You divide by the variance. Divide by its root, or the result depends on the units of the "
    "input.",
    norm_with(
        lambda x, gamma, beta, eps: (
            gamma * (x - x.mean(-1, keepdim=True)) / (x.var(-1, unbiased=False, keepdim=True) + eps)
            + beta
        )
    ),
)


def norm_over(dims: Callable[[Tensor], Any]) -> Callable[..., Tensor]:
    """Layer norm with the statistics of other axes."""

    def variant(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
        return gamma * normalised(x, eps, dims(x)) + beta

    return variant


EXERCISE.misconception(
    "batch-statistics",
    "That is batch norm",
    "You take mean and variance of each feature over all tokens of all sequences: batch norm. A "
    "token's result then depends on who else is in the batch, padding included. Layer norm looks "
    "at one token at a time: which axis holds its features?",
    norm_over(lambda x: tuple(range(x.dim() - 1))),
    norm_with(
        lambda x, gamma, beta, eps: (
            gamma * normalised(x.reshape(-1, x.shape[-1]), eps, 0).reshape(x.shape) + beta
        )
    ),
)

EXERCISE.misconception(
    "first-axis",
    "Statistics over the first axis",
    "You average over axis 0. There the sequences of the batch lie; one token's features lie "
    "along the last axis.",
    norm_over(lambda x: 0),
)

EXERCISE.misconception(
    "axis-one",
    "Axis 1 holds the features only in two dimensions",
    "With two axes your result is right, with three you average over time. Count from the end: "
    "the features are always the last axis.",
    norm_over(lambda x: 1),
)

EXERCISE.misconception(
    "time-and-features",
    "One mean for the whole sequence",
    "You average over time and features together, so every token depends on all others of its "
    "sequence. The mean and variance of a token are its own.",
    norm_over(lambda x: (-2, -1)),
)

EXERCISE.misconception(
    "over-everything",
    "One mean for the whole batch",
    "You take one mean and one variance of the whole tensor. Each token has its own.",
    norm_over(lambda x: tuple(range(x.dim()))),
)

EXERCISE.misconception(
    "mean-kept",
    "The mean is not subtracted",
    "You divide by the root mean square and never subtract the mean. That is RMS norm, which "
    "newer models use; the text asks for layer norm.",
    norm_with(
        lambda x, gamma, beta, eps: gamma * x / ((x * x).mean(-1, keepdim=True) + eps).sqrt() + beta
    ),
)

EXERCISE.misconception(
    "gamma-and-beta-missing",
    "gamma and beta are not used",
    "You normalise and stop. gamma and beta let the model undo the normalisation where that helps.",
    norm_with(lambda x, gamma, beta, eps: normalised(x, eps)),
)

EXERCISE.misconception(
    "gamma-first",
    "gamma and beta before the normalisation",
    "You scale and shift first and normalise afterwards, which takes most of it away again. They "
    "come last.",
    norm_with(lambda x, gamma, beta, eps: normalised(gamma * x + beta, eps)),
)

EXERCISE.misconception(
    "beta-scaled",
    "beta is multiplied by gamma",
    "You add beta before you multiply by gamma. The shift is added last, unscaled.",
    norm_with(lambda x, gamma, beta, eps: gamma * (normalised(x, eps) + beta)),
)


def moments(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, square = x.mean(-1, keepdim=True), (x * x).mean(-1, keepdim=True)
    return gamma * (x - mean) / (square - mean**2 + eps).sqrt() + beta


EXERCISE.misconception(
    "cancellation",
    "A difference of two large numbers",
    "The mean of the squares minus the square of the mean is the variance on paper. In 32 bits "
    "both are large and nearly equal when the mean is large, and their difference is mostly "
    "rounding. Subtract the mean first, then square.",
    norm_with(moments),
)


def no_keepdim(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return gamma * (x - x.mean(-1)) / (x.var(-1, unbiased=False) + eps).sqrt() + beta


EXERCISE.misconception(
    "keepdim-forgotten",
    "The mean has lost an axis",
    "After `x.mean(-1)` the last axis is gone, and the result is lined up with the wrong axis of "
    "x: an error at best, silent nonsense if two sizes are equal. Look at the `keepdim` argument.",
    norm_with(no_keepdim),
    syntax=lambda tree: not syntax.uses(tree, "keepdim", "unsqueeze"),
)
