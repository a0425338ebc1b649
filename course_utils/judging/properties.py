"""Laws that answers obey whatever the numbers are, ready to use in an exercise."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_utils.judging.compare import difference
from course_utils.judging.exercise import Property
from course_utils.judging.runner import Case, Outcome, play


def rows_sum_to_one(result: int = 1, name: str = "weights", zero_rows: bool = False) -> Property:
    """The index-th result holds distributions along its last axis (`zero_rows`: or nothing at all
    where the case's mask allows nothing)."""

    def broken(case: Case, got: Outcome) -> str | None:
        weights = got.result(result)
        if not isinstance(weights, Tensor) or weights.dim() == 0:
            return f"the {name} are not a tensor"
        sums = weights.double().sum(-1)
        empty = nothing_allowed(case, weights) if zero_rows else torch.zeros_like(sums).bool()
        off = torch.where(empty, sums.abs(), (sums - 1).abs())
        if not bool((off < 1e-4).all()):  # also catches NaN
            worst = off.nan_to_num(9.0).argmax()
            total = f"{float(sums.flatten()[worst]):.4g}"
            if bool(empty.flatten()[worst]):
                return f"a row in which nothing is allowed sums to {total}, not to 0"
            return f"a row of the {name} sums to {total}, not to 1"
        return "some of the " + name + " are negative" if bool((weights < -1e-6).any()) else None

    return Property(f"every row of the {name} sums to 1", broken)


def nothing_allowed(case: Case, weights: Tensor) -> Tensor:
    """(..., T): the rows of the weights in which the mask of the case, if it has one, has no
    True."""
    masks = [x for x in case.inputs if isinstance(x, Tensor) and x.dtype == torch.bool]
    if not masks:
        return torch.zeros(weights.shape[:-1], dtype=torch.bool)
    return ~torch.broadcast_to(masks[-1], weights.shape).any(-1)


def no_nan(label: str = "never gives NaN or infinity") -> Property:
    """Nothing that comes back is NaN or infinite."""

    def bad(value: Any) -> bool:
        if isinstance(value, Tensor):
            return value.is_floating_point() and not bool(torch.isfinite(value).all())
        return isinstance(value, tuple | list) and any(bad(item) for item in value)

    return Property(
        label,
        lambda case, got: (
            "there is NaN or infinity in the result" if any(bad(v) for v in got.values) else None
        ),
    )


def zero_where_masked(index: int, mask: int = -1) -> Property:
    """The `index`-th result is exactly 0 wherever the boolean argument number `mask` is False."""

    def broken(case: Case, got: Outcome) -> str | None:
        allowed, weights = case.args[mask], got.result(index)
        hidden = ~torch.broadcast_to(allowed, weights.shape)
        if bool(weights[hidden].isnan().any()):
            return "a masked entry is NaN"
        return "a masked entry has a weight" if bool((weights[hidden] != 0).any()) else None

    return Property("what is masked has the weight 0, exactly", broken)


def right_while_small(
    reference: Callable[..., Any], limit: float
) -> Callable[[Case, Outcome], bool]:
    """A symptom: the first result is right wherever the first argument has no number beyond
    `limit`. A look at the syntax alone would also name answers that are wrong for other reasons."""

    def symptom(case: Case, got: Outcome) -> bool:
        if bool((case.args[0].abs() > limit).any()):
            return True
        return difference(play(case, reference).value, got.value, 1e-4) is None

    return symptom
