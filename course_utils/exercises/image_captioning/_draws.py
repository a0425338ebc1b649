"""Looks at what a draw brought back: right answers draw different regions."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from course_utils.judging.exercise import Case, Outcome
from course_utils.judging.runner import gradients_of


def one_row_problem(case_args: tuple[Any, ...], got: Outcome) -> str | None:
    """What is wrong with one sampled region per row: shapes, the region that belongs to the index,
    and its log probability."""
    regions, weights = case_args[:2]
    if not isinstance(got.value, tuple | list) or len(got.value) != 3:
        return "three results are asked for: context, index and log_prob"
    context, index, log_prob = got.value
    if not all(isinstance(part, Tensor) for part in (context, index, log_prob)):
        return "all three results should be tensors"
    for name, part, shape in (
        ("context", context, (len(regions), regions.shape[2])),
        ("index", index, (len(regions),)),
        ("log_prob", log_prob, (len(regions),)),
    ):
        if tuple(part.shape) != shape:
            return f"{name} has shape {tuple(part.shape)}, expected {shape}"
    if index.is_floating_point() or index.dtype == torch.bool:
        return f"index should hold whole numbers, not {index.dtype}"
    if bool((index < 0).any()) or bool((index >= regions.shape[1]).any()):
        return f"index should lie between 0 and {regions.shape[1] - 1}"
    index = index.long()  # any kind of whole number will do
    rows = torch.arange(len(regions))
    if bool((weights[rows, index] == 0).any()):
        return "a region of weight 0 was drawn"
    if not torch.allclose(context.double(), regions[rows, index].double(), atol=1e-5):
        return "the context is not the region that the index names"
    expected = weights[rows, index].double().log()
    if not torch.allclose(log_prob.double(), expected, atol=1e-4):
        row = int((log_prob.double() - expected).nan_to_num(torch.inf).abs().argmax())
        return (
            f"log_prob of row {row} should be the logarithm of the weight that was drawn "
            f"({float(expected[row]):.4g}), not {float(log_prob[row]):.4g}"
        )
    return None


def frequency_problem(case_args: tuple[Any, ...], got: Outcome) -> str | None:
    """Are the regions drawn about as often as their weights say? All rows have the same weights."""
    problem = one_row_problem(case_args, got)
    if problem:
        return problem
    weights, index = case_args[1], got.value[1].long()
    count = len(index)
    shares = torch.bincount(index, minlength=weights.shape[1]).double() / count  # (R,)
    expected = weights[0].double()  # (R,)
    slack = 5 * (expected * (1 - expected) / count).sqrt() + 1e-9  # five standard deviations
    worst = int(((shares - expected).abs() - slack).argmax())
    if abs(shares[worst] - expected[worst]) > slack[worst]:
        return (
            f"of {count} draws with weight {expected[worst]:.2f} each, {shares[worst]:.2f} fell "
            f"on region {worst}"
        )
    return None


@dataclass(eq=False)
class Repeated:
    """The same weights three times: with one seed, with it again, and with another one. Outcomes
    are looked at in the order of the cases."""

    first: Tensor | None = None

    def begin(self, case_args: tuple[Any, ...], got: Outcome) -> str | None:
        self.first = None
        if one_row_problem(case_args, got) is None:
            self.first = got.value[1].long()
        return frequency_problem(case_args, got)

    def again(self, case_args: tuple[Any, ...], got: Outcome) -> str | None:
        if problem := one_row_problem(case_args, got):
            return problem
        if self.first is None or torch.equal(got.value[1].long(), self.first):
            return None  # or there is nothing to compare with, which the case before it says
        return "a generator with the same seed does not give the same draws again"

    def differently(self, case_args: tuple[Any, ...], got: Outcome) -> str | None:
        if problem := frequency_problem(case_args, got):
            return problem
        if self.first is None or not torch.equal(got.value[1].long(), self.first):
            return None
        return "a generator with another seed gives the same draws"


def gradient_problem(case_args: tuple[Any, ...], got: Outcome) -> str | None:
    """Do gradients flow from the context to the regions and from log_prob to the weights?"""
    problem = one_row_problem(case_args, got)
    if problem:
        return problem
    regions, weights = (part.clone().requires_grad_() for part in case_args[:2])
    index = got.value[1].long()
    expected = gradients_of(
        (picked(regions, index), index, weight_of(weights, index).log()),
        {"regions": regions, "weights": weights},
    )
    for number, (name, want) in enumerate(expected.items()):
        have = got.gradients.get(f"argument {number}")
        if have is None:
            return (
                f"no gradient reaches `{name}`: was something detached, or turned into a Python "
                "number?"
            )
        assert want is not None
        if bool(have.isnan().any()):
            return f"the gradient of `{name}` contains NaN"
        # Softmax does not see what is the same in a whole row: a distribution that normalises again
        # is right too
        if name == "weights":
            want, have = want - want.mean(-1, keepdim=True), have - have.mean(-1, keepdim=True)
        if not torch.allclose(want, have, rtol=1e-3, atol=1e-3 * float(want.abs().max())):
            return f"the gradient of `{name}` is not right"
    return None


def picked(regions: Tensor, index: Tensor) -> Tensor:
    return regions[torch.arange(len(index)), index]


def weight_of(weights: Tensor, index: Tensor) -> Tensor:
    return weights[torch.arange(len(index)), index]


def parts(case: Case, got: Outcome) -> tuple[Tensor, Tensor, Any, Any, Any] | None:
    """regions, weights and the three results, if there are three."""
    if not isinstance(got.value, tuple | list) or len(got.value) != 3:
        return None
    return case.args[0], case.args[1], *got.value


def close(a: Any, b: Tensor) -> bool:
    return (
        isinstance(a, Tensor)
        and a.shape == b.shape
        and torch.allclose(a.double(), b.double(), atol=1e-4)
    )


def valid(index: Any, weights: Tensor) -> bool:
    return (
        isinstance(index, Tensor)
        and index.shape == weights.shape[:1]
        and not index.is_floating_point()
        and index.dtype != torch.bool
        and bool((index >= 0).all() and (index < weights.shape[1]).all())
    )


def drawn(wrong: Callable[[Any], bool]) -> Callable[[Case, Outcome], bool]:
    """A symptom: the index is a possible one, and the draw looks wrong in this way. A draw has
    regions, weights, index, context and log_prob, the region that was picked and its weight."""

    def symptom(case: Case, got: Outcome) -> bool:
        found = parts(case, got)
        if found is None or not valid(found[3], found[1]):
            return False
        regions, weights, context, index, log_prob = found
        index = index.long()
        given = {"regions": regions, "weights": weights, "index": index}
        chosen = {"picked": picked(regions, index), "weight": weight_of(weights, index)}
        return wrong(SimpleNamespace(context=context, log_prob=log_prob, **given, **chosen))

    return symptom


def log_prob_detached(case: Case, got: Outcome) -> bool:
    """Everything is right but the gradient of the weights."""
    return one_row_problem(case.args, got) is None and (
        not case.gradients or got.gradients.get("argument 1") is None
    )


def nan_gradient(case: Case, got: Outcome) -> bool:
    """Everything is right but the gradient where a weight is 0."""
    if one_row_problem(case.args, got) is not None:
        return False
    found = got.gradients.get("argument 1")
    zeros = bool((case.args[1] == 0).any())
    return not case.gradients or (
        found is not None and bool(found.isnan().any()) == zeros and not found.isinf().any()
    )


def log_held_up(draw: Any) -> bool:
    """Small weights were raised before the logarithm: it is too high among many regions, and
    nowhere far from what it should be."""
    if not isinstance(draw.log_prob, Tensor) or draw.log_prob.shape != draw.weight.shape:
        return False
    raised = draw.log_prob.exp() - draw.weight  # (B,)
    small = draw.weights.shape[1] < 1000 or not close(draw.log_prob, draw.weight.log())
    return small and bool((raised > -1e-4).all() and (raised < 0.06).all())


def column_index(case: Case, got: Outcome) -> bool:
    found = parts(case, got)
    return (
        found is not None and isinstance(found[3], Tensor) and found[3].shape == (len(found[1]), 1)
    )


def one_hot_index(case: Case, got: Outcome) -> bool:
    found = parts(case, got)
    return (
        found is not None
        and isinstance(found[3], Tensor)
        and found[3].shape == found[1].shape
        and found[1].shape[1] > 0
    )


def same_draw_for_equal_rows(case: Case, got: Outcome) -> bool:
    """Every row is right by itself, and rows with the same weights never draw differently."""
    if one_row_problem(case.args, got) is not None:
        return False
    weights, index = case.args[1], got.value[1]
    return not bool((weights == weights[0]).all()) or bool((index == index[0]).all())


def drawn_well(case: Case, got: Outcome) -> bool:
    """Every row is right, and where there are many, each region comes as often as it should."""
    many = len(case.args[1]) >= 1000
    return (frequency_problem if many else one_row_problem)(case.args, got) is None
