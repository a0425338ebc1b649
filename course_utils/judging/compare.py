"""Says in a sentence how a result differs from what was expected."""

import textwrap
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from course_utils.play import Opaque, Outcome
from course_utils.toys import Toy


def describe(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Opaque):
        return f"an object of type {value.type}"
    return "None" if value is None else f"{type(value).__name__} {value!r}"


def show(value: Any) -> str:
    """A small value, rounded and readable."""
    if isinstance(value, Tensor):
        if value.is_floating_point():
            value = torch.where(value.abs() < 5e-7, torch.zeros_like(value), value)
        text = _number(value.item()) if value.dim() == 0 else _rows(value)
        return text if value.numel() <= 60 else f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple):
        return "\n".join(f"[{i + 1}] {show(item)}" for i, item in enumerate(value))
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, Toy):
        return f"a small {value.name.replace('_', ' ')} of the course"
    return textwrap.shorten(repr(value), 300)


def _number(value: Any) -> str:
    if not isinstance(value, float) or value != value:
        return str(value)
    if abs(value) < 1e9 and value == int(value):
        return str(int(value))
    return f"{value:.4f}" if abs(value) < 1e4 else f"{value:.6g}"


def _rows(value: Tensor) -> str:
    """Rows of aligned columns."""
    flat = [_number(v) for v in value.flatten().tolist()]
    if value.dim() == 1:
        return "[" + ", ".join(flat) + "]"
    width = max((len(cell) for cell in flat), default=0)
    columns = max(value.shape[-1], 1)
    rows = ["[" + "  ".join(cell.rjust(width) for cell in flat[i : i + columns]) + "]" for i in range(0, len(flat), columns)]
    return f"shape {tuple(value.shape)}\n" + "\n".join(rows)


def difference(expected: Any, got: Any, tolerance: float, name: str = "the result", parts: tuple[str, ...] = ()) -> str | None:
    """How `got` differs from `expected`, or None if it does not; `parts` names what a tuple holds. Numbers and 0-d tensors are the same."""
    if isinstance(expected, Opaque):
        return None if isinstance(got, Opaque) else f"{name} should be a model or layer that can be called, not {describe(got)}"
    if got is None and expected is not None:
        return f"{name} is None: is there a `return`?"
    if isinstance(expected, tuple):
        if not isinstance(got, tuple | list) or len(got) != len(expected):
            return f"{name} should be a tuple of {len(expected)}, not {describe(got)}"
        names = parts if len(parts) == len(expected) else [f"{name}, part {i + 1} of {len(expected)}," for i in range(len(expected))]
        found = (difference(e, g, tolerance, each) for e, g, each in zip(expected, got, names, strict=True))
        return next((text for text in found if text), None)
    if isinstance(expected, list):
        if not isinstance(got, list | tuple | Tensor):
            return f"{name} should be a list, not {describe(got)}"
        same = list(got.tolist() if isinstance(got, Tensor) else got) == expected
        return None if same else f"{name} should be {expected}, not {got}"
    if isinstance(expected, Tensor | bool | int | float):
        return _tensor_difference(expected, got, tolerance, name)
    return None if expected == got else f"{name} should be {describe(expected)}, not {describe(got)}"


def _tensor_difference(expected: Any, got: Any, tolerance: float, name: str) -> str | None:
    if isinstance(got, tuple | list):
        return f"{name} should be one value, not {describe(got)}"
    if not isinstance(got, Tensor | bool | int | float):
        return f"{name} should be {describe(expected)}, not {describe(got)}"
    want, have = torch.as_tensor(expected), torch.as_tensor(got)
    if want.shape != have.shape:
        return f"{name} has shape {tuple(have.shape)}, expected {tuple(want.shape)}"
    if want.dtype == torch.bool and have.dtype != torch.bool:
        return f"{name} should be boolean (True or False), not {have.dtype}"
    if want.is_floating_point() and not have.is_floating_point():
        return f"{name} should hold floating-point numbers, not {have.dtype}"
    if have.is_complex():
        return f"{name} holds complex numbers"
    if want.dtype == have.dtype and torch.equal(want, have):
        return None  # the usual case, and cheap
    a, b = want.double(), have.double()
    if bool((b.isnan() & ~a.isnan()).any()):
        return f"{name} contains NaN"
    if torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
        return None
    apart = torch.where(a == b, torch.zeros_like(a), (a - b).abs()).nan_to_num(nan=float("inf"))
    where = tuple(int(i) for i in torch.unravel_index(apart.argmax(), apart.shape)) if apart.dim() else ()
    at = f" at {list(where)}" if where else ""
    wrong = (apart > tolerance * (1 + a.abs())).sum()
    share = f"{int(wrong)} of {apart.numel()} values differ; " if apart.numel() > 1 else ""
    if want.dtype == torch.bool:
        return f"{share}{name}{at} is {bool(have[where])}, expected {bool(want[where])}"
    return f"{share}{name}{at} is {b[where]:.6g}, expected {a[where]:.6g}"


def outcome_difference(
    expected: Outcome, got: Outcome, tolerance: float, parts: tuple[str, ...] = (), arguments: Sequence[str] = ()
) -> str | None:
    """How an outcome differs in what came back (values, or the kind of error); None if it does not. `arguments` names the inputs."""
    if (expected.failure is None) != (got.failure is None):
        return "one raises an error, the other does not"
    if expected.failure is not None and got.failure is not None:
        return None if expected.failure.type == got.failure.type else f"{got.failure.type} instead of {expected.failure.type}"
    for number, (want, have) in enumerate(zip(expected.values, got.values, strict=False)):
        name = "the result" if len(expected.values) == 1 else f"the result of call {number + 1}"
        if text := difference(want, have, tolerance, name, parts):
            return text
    return gradient_difference(expected, got, tolerance, arguments)


def gradient_difference(expected: Outcome, got: Outcome, tolerance: float, arguments: Sequence[str] = ()) -> str | None:
    names = {f"argument {i}": f"`{name}`" for i, name in enumerate(arguments)}
    for key, want in expected.gradients.items():
        have, name = got.gradients.get(key), names.get(key, key)
        if want is None:
            continue
        if have is None:
            if bool(want.abs().max() <= tolerance):
                continue
            return f"no gradient reaches {name}: was something detached, or turned into a Python number?"
        scale = max(1.0, float(want.abs().max()))
        if text := _tensor_difference(want / scale, have / scale, 10 * tolerance, f"the gradient of {name}"):
            return text
    return None
