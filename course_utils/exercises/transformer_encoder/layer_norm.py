"""Layer norm: `layer_norm(x, gamma, beta, eps=1e-05)`, (..., D), (D,), (D,) -> (..., D)."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import transformer_encoder as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise, Forbidden
from course_utils.judging.promises import two_features
from course_utils.judging.properties import no_nan

from ._shared import NOT_ALLOWED


def cases(draw: Draw) -> list[Case]:
    a, b, c, d = draw.sizes(4, low=4, high=8)

    def case(label: str, x: Tensor, *eps: float, **more: Any) -> Case:
        dim = x.shape[-1]
        return Case(label, args=(x, 1.5 + draw.normal(dim), draw.normal(dim), *eps), **more)

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


NAMED = "LayerNorm, layer_norm, group_norm, batch_norm"
NORMS = (*NAMED.split(", "), "GroupNorm", "BatchNorm1d", "native_layer_norm", "instance_norm")

EXERCISE = Exercise(
    name="layer_norm",
    points=3,
    section="Layer norm",
    reference=ref.layer_norm,
    cases=cases,
    promised=two_features,
    tolerance=2e-5,
    properties=(no_nan(),),
    forbidden=(Forbidden(NOT_ALLOWED.format(f"normalisations ({NAMED} and their kin)"), NORMS),),
)


def normalised(x: Tensor, eps: float, dims: Any = -1, unbiased: bool = False) -> Tensor:
    return (x - x.mean(dims, keepdim=True)) / (
        x.var(dims, unbiased=unbiased, keepdim=True) + eps
    ).sqrt()


def centred(x: Tensor) -> Tensor:
    return x - x.mean(-1, keepdim=True)


def scaled(body: Callable[[Tensor, float], Tensor]) -> Callable[..., Tensor]:
    return lambda x, gamma, beta, eps=1e-5: gamma * body(x, eps) + beta


EXERCISE.misconception(
    "unbiased-variance",
    "Divided by D - 1 instead of D",
    "Your variance is a little too large: torch's `var` and `std` divide by D - 1 unless told "
    "otherwise, the estimate for a sample. The D features of a token are not a sample of "
    "anything; layer norm divides by D.",
    scaled(lambda x, eps: normalised(x, eps, unbiased=True)),
)

EXERCISE.misconception(
    "unbiased-and-eps-outside",
    "Divided by D - 1, and eps added to the standard deviation",
    "Two things differ from nn.LayerNorm: `std` divides by D - 1 unless told otherwise, and eps "
    "is added after the root instead of to the variance under it. A famous annotated "
    "implementation does the same; weights cannot be exchanged with torch's then.",
    scaled(lambda x, eps: centred(x) / (x.std(-1, keepdim=True) + eps)),
)

EXERCISE.misconception(
    "eps-outside",
    "eps outside the square root",
    "You add eps to the standard deviation. It belongs to the variance, under the root: with eps "
    "= 0.1 or a token that hardly varies the difference is plain.",
    scaled(lambda x, eps: centred(x) / (x.std(-1, unbiased=False, keepdim=True) + eps)),
    scaled(lambda x, eps: (c := centred(x)) / ((c * c).mean(-1, keepdim=True).sqrt() + eps)),
)

EXERCISE.misconception(
    "nan-gradient",
    "The gradient is NaN where all features are equal",
    "Your values are right, but for a token whose features are all equal the gradient is NaN: the "
    "root of 0 has no slope, and squaring it again comes too late. One such token ruins every "
    "weight at the next step. Keep the variance as it is: its root is needed only once, after eps "
    "was added.",
    scaled(
        lambda x, eps: (c := centred(x)) / ((c * c).mean(-1, keepdim=True).sqrt() ** 2 + eps).sqrt()
    ),
)

EXERCISE.misconception(
    "eps-fixed",
    "The argument eps is not used",
    "Your result does not depend on eps. The caller may ask for another one.",
    scaled(lambda x, eps: normalised(x, 1e-5)),
)

EXERCISE.misconception(
    "eps-missing",
    "0 divided by 0",
    "A token whose features are all equal has variance 0, and you divide by its root. That is "
    "what eps is for.",
    scaled(lambda x, eps: normalised(x, 0.0)),
)

EXERCISE.misconception(
    "no-root",
    "Divided by the variance",
    "You divide by the variance. Divide by its root, or the result depends on the units of the "
    "input.",
    scaled(lambda x, eps: centred(x) / (x.var(-1, unbiased=False, keepdim=True) + eps)),
)

EXERCISE.misconception(
    "batch-statistics",
    "That is batch norm",
    "You take mean and variance of each feature over all tokens of all sequences: batch norm. A "
    "token's result then depends on who else is in the batch, padding included. Layer norm looks "
    "at one token at a time: which axis holds its features?",
    scaled(lambda x, eps: normalised(x, eps, tuple(range(x.dim() - 1)))),
    scaled(lambda x, eps: normalised(x.reshape(-1, x.shape[-1]), eps, 0).reshape(x.shape)),
)

EXERCISE.misconception(
    "first-axis",
    "Statistics over the first axis",
    "You average over axis 0. There the sequences of the batch lie; one token's features lie "
    "along the last axis.",
    scaled(lambda x, eps: normalised(x, eps, 0)),
)

EXERCISE.misconception(
    "axis-one",
    "Axis 1 holds the features only in two dimensions",
    "With two axes your result is right, with three you average over time. Count from the end: "
    "the features are always the last axis.",
    scaled(lambda x, eps: normalised(x, eps, 1)),
)

EXERCISE.misconception(
    "time-and-features",
    "One mean for the whole sequence",
    "You average over time and features together, so every token depends on all others of its "
    "sequence. The mean and variance of a token are its own.",
    scaled(lambda x, eps: normalised(x, eps, (-2, -1))),
)

EXERCISE.misconception(
    "over-everything",
    "One mean for the whole batch",
    "You take one mean and one variance of the whole tensor. Each token has its own.",
    scaled(lambda x, eps: normalised(x, eps, tuple(range(x.dim())))),
)

EXERCISE.misconception(
    "mean-kept",
    "The mean is not subtracted",
    "You divide by the root mean square and never subtract the mean. That is RMS norm, which "
    "newer models use; the text asks for layer norm.",
    scaled(lambda x, eps: x / ((x * x).mean(-1, keepdim=True) + eps).sqrt()),
)

EXERCISE.misconception(
    "gamma-and-beta-missing",
    "gamma and beta are not used",
    "You normalise and stop. gamma and beta let the model undo the normalisation where that helps.",
    lambda x, gamma, beta, eps=1e-5: normalised(x, eps),
)

EXERCISE.misconception(
    "gamma-first",
    "gamma and beta before the normalisation",
    "You scale and shift first and normalise afterwards, which takes most of it away again. They "
    "come last.",
    lambda x, gamma, beta, eps=1e-5: normalised(gamma * x + beta, eps),
)

EXERCISE.misconception(
    "beta-scaled",
    "beta is multiplied by gamma",
    "You add beta before you multiply by gamma. The shift is added last, unscaled.",
    lambda x, gamma, beta, eps=1e-5: gamma * (normalised(x, eps) + beta),
)


@EXERCISE.misconception(
    "cancellation",
    "A difference of two large numbers",
    "The mean of the squares minus the square of the mean is the variance on paper. In 32 bits "
    "both are large and nearly equal when the mean is large, and their difference is mostly "
    "rounding. Subtract the mean first, then square.",
)
def moments(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = 1e-5) -> Tensor:
    mean, square = x.mean(-1, keepdim=True), (x * x).mean(-1, keepdim=True)
    return gamma * (x - mean) / (square - mean**2 + eps).sqrt() + beta


EXERCISE.misconception(
    "keepdim-forgotten",
    "The mean has lost an axis",
    "After `x.mean(-1)` the last axis is gone, and the result is lined up with the wrong axis of "
    "x: an error at best, silent nonsense if two sizes are equal. Look at the `keepdim` argument.",
    scaled(lambda x, eps: (x - x.mean(-1)) / (x.var(-1, unbiased=False) + eps).sqrt()),
    syntax=lambda tree: not syntax.uses(tree, "keepdim", "unsqueeze"),
)
