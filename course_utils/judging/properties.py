"""Laws that answers obey whatever the numbers are, ready to use in an exercise."""

from typing import Any

import torch
from torch import Tensor

from course_utils.exercise import Property
from course_utils.play import Case, Outcome


def rows_sum_to_one(result: int = 1, name: str = "weights", zero_rows: bool = False) -> Property:
    """The index-th result holds distributions along its last axis (`zero_rows`: or nothing at all)."""

    def broken(case: Case, got: Outcome) -> str | None:
        weights = got.result(result)
        if not isinstance(weights, Tensor) or weights.dim() == 0:
            return f"the {name} are not a tensor"
        sums = weights.double().sum(-1)
        off = (sums - 1).abs()
        if zero_rows:
            off = torch.minimum(off, sums.abs())
        if not bool((off < 1e-4).all()):  # also catches NaN
            return f"a row of the {name} sums to {float(sums.flatten()[off.nan_to_num(9.0).argmax()]):.4g}, not to 1"
        return "some of the " + name + " are negative" if bool((weights < -1e-6).any()) else None

    return Property(f"every row of the {name} sums to 1", broken)


def no_nan(label: str = "never gives NaN or infinity") -> Property:
    """Nothing that comes back is NaN or infinite."""

    def bad(value: Any) -> bool:
        if isinstance(value, Tensor):
            return value.is_floating_point() and not bool(torch.isfinite(value).all())
        return isinstance(value, tuple | list) and any(bad(item) for item in value)

    return Property(label, lambda case, got: "there is NaN or infinity in the result" if any(bad(v) for v in got.values) else None)
