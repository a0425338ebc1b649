"""Hard attention: `hard_attention(regions, weights, generator)`.

(B, R, D), (B, R), torch.Generator -> context (B, D), index (B,), log_prob (B,).
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging import syntax
from course_utils.judging.exercise import Case, Draw, Exercise
from course_utils.judging.promises import shares

from . import _draws
from ._draw_code import RULES, draws_from_the_first_row, softmax_again, uniform, weights_as_logits
from ._draws import Repeated, close, drawn, gradient_problem, one_row_problem


def cases(draw: Draw) -> list[Case]:
    batch, regions, dim, other = draw.sizes(4, low=3, high=8)

    def case(
        label: str,
        weights: Tensor,
        problem: Callable[..., str | None] = one_row_problem,
        seed: int | None = None,
        **options: Any,
    ) -> Case:
        count, places = weights.shape
        width = 1 if count * places < 6 else dim
        seed = draw.integer(0, 10**6) if seed is None else seed
        args = (draw.normal(count, places, width), weights, torch.Generator().manual_seed(seed))
        return Case(label, args=args, verify=lambda got: problem(args, got), **options)

    def soft(count: int, places: int) -> Tensor:
        return draw.normal(count, places).softmax(-1)

    def sparse() -> Tensor:
        some = soft(other, regions)  # never all of it on one region: see the case of its own
        some[torch.arange(other), draw.integers(0, regions - 1, other)] = 0.0
        return some / some.sum(-1, keepdim=True)

    # (B, R): nothing is left to chance
    sure = torch.eye(regions)[draw.integers(0, regions - 1, batch)]
    many = torch.tensor([0.55, 0.05, 0.3, 0.1])[draw.permutation(4)].expand(1000, -1).contiguous()
    repeated, seed = Repeated(), draw.integer(0, 10**6)
    return [
        case("2 rows, 2 regions", torch.tensor([[0.5, 0.5], [0.25, 0.75]])),
        case(f"{batch} rows, {regions} regions", soft(batch, regions)),
        case(f"{other} rows, {batch} regions", soft(other, batch)),
        case("1000 draws", many, repeated.begin, seed, hidden_values=True),
        case("1000 draws with the same seed", many, repeated.again, seed, hidden_values=True),
        case("1000 draws with another seed", many, repeated.differently, hidden_values=True),
        case("values and gradients", soft(batch, other), gradient_problem, gradients=True),
        case("2 rows, each sure of one region", torch.eye(2), group="edge"),
        case("all the weight on one region", sure, group="edge"),
        case("some weights are zero", sparse(), gradient_problem, gradients=True, group="edge"),
        case("one region", torch.ones(batch, 1), group="edge"),
        case("one row", soft(1, regions), group="edge"),
        case("2000 regions", soft(batch, 2000), group="edge", hidden_values=True),
    ]


EXERCISE = Exercise(
    name="hard_attention",
    points=4,
    section="Hard attention",
    reference=ref.hard_attention,
    returns=("context (B, D)", "index (B,)", "log_prob (B,)"),
    cases=cases,
    promised=shares(1),
    forbidden=RULES,
)

EXERCISE.misconception(
    "argmax-for-a-draw",
    "The best region instead of a drawn one",
    "You always take the region with the largest weight. Hard attention draws: a region of weight "
    "0.3 is looked at in 30 of 100 cases. Without chance nothing else would ever be tried.",
    symptom=drawn(lambda d: close(d.weight, d.weights.amax(-1))),
)

EXERCISE.misconception(
    "no-gradient",
    "The values are right, the gradient is not",
    "No gradient reaches the weights. `log_prob` is the only way by which they can learn where to "
    "look: compute it from the tensor of weights, not from a Python number (`.item()`, "
    "`math.log`) and not under `torch.no_grad()`.",
    symptom=_draws.log_prob_detached,
)

EXERCISE.misconception(
    "nan-gradient",
    "The logarithm of weights that are 0",
    "You take the logarithm of all weights and pick from it. The values are right, but where a "
    "weight is 0 its logarithm is minus infinity, and although it was never picked, its gradient "
    "is 0 · infinity = NaN. Pick first.",
    symptom=_draws.nan_gradient,
)

EXERCISE.misconception(
    "log-held-up",
    "Small weights are raised before the logarithm",
    "You keep the weights away from 0 before you take the logarithm. A region of weight 0 is never "
    "drawn, so there is no need, and among many regions every weight is small.",
    symptom=drawn(_draws.log_held_up),
)

EXERCISE.misconception(
    "softmax-again",
    "A log-softmax of weights",
    "Your third result is a log-softmax of the weights. They are probabilities already, not "
    "scores: only the logarithm is missing.",
    syntax=lambda tree: syntax.uses(tree, "log_softmax"),
    symptom=drawn(
        lambda d: close(d.log_prob, d.weights.log_softmax(-1).gather(1, d.index[:, None])[:, 0])
    ),
)

EXERCISE.misconception(
    "uniform-draw",
    "Drawn without regard to the weights",
    "You draw every region alike. The weights are the probabilities: which function of torch "
    "draws with given probabilities?",
    syntax=uniform,
)

EXERCISE.misconception(
    "probability-not-log",
    "The probability, not its logarithm",
    "Your third result is the weight itself. The text asks for its logarithm: it is what the "
    "gradient of an expectation needs.",
    symptom=drawn(lambda d: close(d.log_prob, d.weight)),
)

EXERCISE.misconception(
    "negative-log",
    "Minus the logarithm",
    "Your third result is -log p, a loss. The text asks for log p, which is never positive.",
    symptom=drawn(lambda d: close(d.log_prob, -d.weight.log())),
)

EXERCISE.misconception(
    "all-log-probs",
    "The logarithms of all weights",
    "Your third result has one entry per region. The text asks for that of the region that was "
    "drawn.",
    symptom=drawn(lambda d: isinstance(d.log_prob, Tensor) and d.log_prob.shape == d.weights.shape),
)

EXERCISE.misconception(
    "soft-context",
    "A mixture instead of one region",
    "Your context mixes all regions by their weights. Hard attention brings back exactly one of "
    "them.",
    symptom=drawn(lambda d: close(d.context, (d.weights[:, None] @ d.regions).squeeze(1))),
)

EXERCISE.misconception(
    "scaled-context",
    "The region is multiplied by its weight",
    "You multiply the drawn region by its weight. It is brought back as it is: how often it is "
    "drawn already does the weighing.",
    symptom=drawn(lambda d: close(d.context, d.picked * d.weight[:, None])),
)

EXERCISE.misconception(
    "indexes-the-batch",
    "The index picks from the wrong axis",
    "`regions[:, index]` takes all those regions of every row: (B, B, D). Each row wants its own "
    "region only: pair row and index.",
    symptom=drawn(lambda d: close(d.context, d.regions[:, d.index])),
)

EXERCISE.misconception(
    "column-index",
    "An axis of length one too many",
    "`multinomial` returns (B, 1), and so is your index. The text asks for (B,).",
    symptom=_draws.column_index,
)

EXERCISE.misconception(
    "one-hot-index",
    "One-hot instead of a number",
    "Your index is (B, R). The text asks for the number of the region that was drawn.",
    symptom=_draws.one_hot_index,
)

EXERCISE.misconception(
    "softmax-again",
    "Softmax of weights",
    "You put the weights through a softmax once more. They are probabilities already; a second "
    "softmax evens them out, and regions of weight 0 get drawn.",
    syntax=softmax_again,
)

EXERCISE.misconception(
    "weights-as-logits",
    "Weights taken for logits",
    "You hand the weights over as `logits`. They are probabilities: a region of weight 0 has "
    "logit minus infinity, not 0.",
    syntax=weights_as_logits,
)

EXERCISE.misconception(
    "one-draw-for-all",
    "One draw for the whole batch",
    "You draw one region and use it in every row. Every row has its own weights and wants its own "
    "draw.",
    symptom=drawn(lambda d: bool((d.index == d.index[0]).all())),
)

EXERCISE.misconception(
    "weights-of-the-first-row",
    "Every row is drawn with the weights of the first",
    "You use `weights[0]` for all rows. Every row has its own probabilities: regions get drawn "
    "whose weight is 0.",
    syntax=draws_from_the_first_row,
    symptom=drawn(
        lambda d: bool(
            (d.weights[0][d.index] > 0).all()
            and (len(d.index) < 100 or (d.index != d.index[0]).any())
        )
    ),
)

EXERCISE.misconception(
    "one-number-for-all",
    "One random number for the whole batch",
    "Rows with the same weights always draw the same region: one random number decides for all "
    "rows. Every row wants its own number.",
    symptom=_draws.same_draw_for_equal_rows,
)

EXERCISE.misconception(
    "another-generator",
    "Drawn from another generator",
    "The draws are right, but they do not follow the generator that you are given: they come from "
    "torch's global generator, or from one that you make yourself. Hand over the one that you are "
    "given.",
    symptom=_draws.drawn_well,
)
