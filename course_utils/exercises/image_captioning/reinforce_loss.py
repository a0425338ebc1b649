"""A loss for draws: `reinforce_loss(losses, log_prob)`, (B, K) and (B, K) -> scalar."""

from collections.abc import Callable

import torch
from torch import Tensor

from course_utils import image_captioning as ref
from course_utils.judging.exercise import Case, Draw, Exercise


def cases(draw: Draw) -> list[Case]:
    batch, draws, other, more = draw.sizes(4, low=3, high=8)

    def case(label: str, batch: int, draws: int, group: str = "basic", level: float = 2.0) -> Case:
        losses = level + draw.normal(batch, draws)
        log_prob = draw.uniform(batch, draws, low=0.1, high=0.9).log()
        return Case(label, args=(losses, log_prob), group=group, gradients=True)

    example = torch.tensor([[1.0, 2.0, 6.0]]), torch.tensor([[-1.0, -2.0, -3.0]])
    return [
        Case("the example of the text: one picture, three draws", args=example),
        case(f"{batch} pictures, {draws} draws each", batch, draws),
        case(f"{other} pictures, {more} draws each", other, more),
        case("losses far from 0", more, batch, level=30.0),
        case("two draws each", other, 2, "edge"),
        case("one picture", 1, draws, "edge"),
    ]


EXERCISE = Exercise(
    name="reinforce_loss",
    points=4,
    section="Hard attention",
    reference=ref.reinforce_loss,
    returns=("the loss, a scalar",),
    cases=cases,
    promised=lambda case: case.args[0].shape[1] >= 2,
)

Baseline = Callable[[Tensor], Tensor]


def others(losses: Tensor) -> Tensor:
    """(B, K) -> (B, K): the mean loss of the other draws for the same picture."""
    return (losses.sum(1, keepdim=True) - losses) / (losses.shape[1] - 1)


def advantage(losses: Tensor) -> Tensor:
    return (losses - others(losses)).detach()


def against(baseline: Baseline) -> Callable[[Tensor, Tensor], Tensor]:
    """reinforce_loss with another baseline."""
    return lambda losses, log_prob: (
        losses + (losses - baseline(losses)).detach() * log_prob
    ).mean()


EXERCISE.misconception(
    "no-baseline",
    "No baseline",
    "You multiply by the loss itself. That is right on average and very noisy: subtract from each "
    "loss what the other draws for the same picture have cost.",
    against(torch.zeros_like),
)

EXERCISE.misconception(
    "own-draw-included",
    "A draw is compared with itself",
    "Your baseline is the mean over all draws, the draw itself included. So it depends on that "
    "draw, and the gradient comes out too small, by a factor of (K - 1) / K. Take the mean of the "
    "*others*.",
    against(lambda losses: losses.mean(1, keepdim=True)),
)

EXERCISE.misconception(
    "divided-by-all",
    "Divided by K, though there are fewer others",
    "You add up the losses of the other draws and divide by K. How many others are there?",
    against(lambda losses: (losses.sum(1, keepdim=True) - losses) / losses.shape[1]),
)

EXERCISE.misconception(
    "sum-of-the-others",
    "The sum of the others, not their mean",
    "Your baseline is the sum of the other losses. A typical loss is their mean.",
    against(lambda losses: losses.sum(1, keepdim=True) - losses),
)

EXERCISE.misconception(
    "other-pictures",
    "Compared with other pictures",
    "Your baseline mixes pictures. A difficult picture has high losses wherever one looks: compare "
    "a draw with the other draws for the *same* picture, along axis 1.",
    against(lambda losses: losses.mean(0, keepdim=True)),
    against(lambda losses: losses.mean().expand_as(losses)),
    against(lambda losses: others(losses.T).T),
    against(lambda losses: (losses.sum() - losses) / (losses.numel() - 1)),
)

EXERCISE.misconception(
    "best-of-the-draws",
    "Compared with the best draw",
    "Your baseline is the smallest loss. Then no draw is ever better than its baseline, and the "
    "baseline depends on the draw itself.",
    against(lambda losses: losses.amin(1, keepdim=True)),
)

EXERCISE.misconception(
    "divided-by-the-spread",
    "Divided by the spread of the losses",
    "You divide by the standard deviation of the draws. Some training recipes do that, but the "
    "result is no longer the gradient of the expected loss: pictures on which all draws cost "
    "nearly the same would push as hard as the others.",
    lambda losses, log_prob: (
        losses + ((losses - losses.mean(1, True)) / losses.std(1, keepdim=True)).detach() * log_prob
    ).mean(),
    lambda losses, log_prob: (
        losses + (advantage(losses) / losses.std(1, keepdim=True)).detach() * log_prob
    ).mean(),
)

EXERCISE.misconception(
    "advantage-not-detached",
    "The value is right, the gradient is not",
    "The factor before log_prob is a mere number: how good this draw was. In your code gradients "
    "flow through it as well, so the losses get a second gradient that belongs to no expectation. "
    "Detach the factor, and only the factor.",
    lambda losses, log_prob: (losses + (losses - others(losses)) * log_prob).mean(),
    lambda losses, log_prob: (losses + (losses - others(losses).detach()) * log_prob).mean(),
    lambda losses, log_prob: (losses + (losses.detach() - others(losses)) * log_prob).mean(),
)

EXERCISE.misconception(
    "losses-detached",
    "Nothing learns from the losses themselves",
    "The value is right, but no gradient reaches `losses`. What reads the drawn region (here: the "
    "LSTM) learns from the loss by plain gradients: the first term must not be detached.",
    lambda losses, log_prob: (losses.detach() + advantage(losses) * log_prob).mean(),
)

EXERCISE.misconception(
    "log-prob-detached",
    "No gradient reaches the draw",
    "The value is right, but `log_prob` is cut off. It is the only way by which the weights learn "
    "where to look.",
    lambda losses, log_prob: (losses + advantage(losses) * log_prob.detach()).mean(),
)

EXERCISE.misconception(
    "only-the-draws",
    "The loss itself is missing",
    "You return the part with log_prob alone. It teaches where to look, but what reads the drawn "
    "region would learn nothing: add the losses themselves.",
    lambda losses, log_prob: (advantage(losses) * log_prob).mean(),
)

EXERCISE.misconception(
    "sign-reversed",
    "Good draws are made rarer",
    "Your sign is reversed. A draw with a loss above its baseline must become *less* likely when "
    "the result is made small. Rewards are maximised; these are losses.",
    lambda losses, log_prob: (losses - advantage(losses) * log_prob).mean(),
    lambda losses, log_prob: -(losses + advantage(losses) * log_prob).mean(),
)

EXERCISE.misconception(
    "probability-not-log",
    "The probability, not its logarithm",
    "You take `log_prob.exp()`. A draw that is likely comes up often anyway; the gradient of the "
    "logarithm makes up for that.",
    lambda losses, log_prob: (losses + advantage(losses) * log_prob.exp()).mean(),
)

EXERCISE.misconception(
    "sum-for-mean",
    "A sum instead of a mean",
    "You add up instead of averaging: twice the pictures, or twice the draws, would make twice the "
    "gradient. Take the mean over all B x K entries.",
    lambda losses, log_prob: (losses + advantage(losses) * log_prob).sum(),
    lambda losses, log_prob: (losses + advantage(losses) * log_prob).sum(1).mean(),
    lambda losses, log_prob: (losses + advantage(losses) * log_prob).sum(0).mean(),
    lambda losses, log_prob: losses.mean() + (advantage(losses) * log_prob).sum(),
    lambda losses, log_prob: losses.mean() + (advantage(losses) * log_prob).sum(1).mean(),
)

EXERCISE.misconception(
    "not-averaged",
    "One number per draw",
    "You return one number per draw or per picture. The text asks for the mean of all.",
    lambda losses, log_prob: losses + advantage(losses) * log_prob,
    lambda losses, log_prob: (losses + advantage(losses) * log_prob).mean(1),
)

EXERCISE.misconception(
    "product-of-means",
    "Averaged before the product",
    "You average the factors or the logarithms first and multiply afterwards. Each draw belongs to "
    "its own loss: multiply draw by draw, then take the mean.",
    lambda losses, log_prob: losses.mean() + advantage(losses).mean() * log_prob.mean(),
    lambda losses, log_prob: losses.mean() + (advantage(losses) * log_prob.mean()).mean(),
)
