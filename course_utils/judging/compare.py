"""Says in a sentence how a result differs from what was expected."""

import re
import reprlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from course_utils.judging.runner import Opaque, Outcome
from course_utils.judging.toys import Toy

NUMBERED = re.compile(r"argument (\d+)")  # the name of an argument's gradient

SHOWN = 60  # how many numbers of a tensor, or parts of a tuple, a reader is shown
HANDFUL = 12  # how many of the numbers of a state that is larger than that

SHORT = reprlib.Repr()  # cuts before it writes: an answer may be megabytes long
SHORT.maxstring = SHORT.maxother = 300
SHORT.maxlist = SHORT.maxtuple = SHORT.maxdict = SHOWN


def short(value: Any) -> str:
    """`repr`, but never long."""
    try:
        return SHORT.repr(value)
    except ValueError:  # Python does not write whole numbers of more than 4,300 digits
        return "a number with thousands of digits"


def describe(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, Opaque):
        return f"an object of type {value.type}"
    return "None" if value is None else f"{type(value).__name__} {short(value)}"


def show(value: Any) -> str:
    """A small value, rounded and readable."""
    if isinstance(value, Tensor):
        return _show_tensor(value)
    if isinstance(value, tuple) or any(isinstance(v, Tensor) for v in _items(value)):
        if len(value) > SHOWN:
            return describe(value)
        return "\n".join(f"[{i + 1}] {show(item)}" for i, item in enumerate(value))
    if isinstance(value, dict) and value and all(isinstance(v, Tensor) for v in value.values()):
        return state(value)
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, Opaque):
        return describe(value)
    if isinstance(value, torch.Generator):
        return f"a generator with the seed {value.initial_seed()}"
    if isinstance(value, Toy):
        weights = (show(value.weights[name]) for name in value.shown)
        return "\n".join((str(value), *weights))
    return short(value)


def _show_tensor(value: Tensor) -> str:
    if value.numel() > SHOWN:
        return describe(value)
    if value.is_floating_point():
        value = torch.where(value.abs() < 5e-7, torch.zeros_like(value), value)
    return _number(value.item()) if value.dim() == 0 else _rows(value)


def state(tensors: Mapping[str, Tensor]) -> str:
    """The weights of a module, a line each, as far as there is room; then how many there are."""
    total = sum(tensor.numel() for tensor in tensors.values())
    lines, room = [], SHOWN if total <= SHOWN else HANDFUL
    for name, tensor in tensors.items():
        room -= tensor.numel()
        if room < 0:
            break
        lines.append(f"{name} = {_as_code(tensor.tolist())}")
    if len(lines) < len(tensors):
        rest = f"… and {len(tensors) - len(lines)} more, " if lines else ""
        lines.append(f"{rest}{total} numbers in all")
    return "\n".join(lines)


def _as_code(value: Any) -> str:
    """Nested lists of numbers, to be copied."""
    if isinstance(value, list):
        return f"[{', '.join(_as_code(item) for item in value)}]"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _items(value: Any) -> list[Any]:
    return value[: SHOWN + 1] if isinstance(value, list) else []


def sides(
    expected: Outcome, got: Outcome, tolerance: float, parts: Sequence[str] = ()
) -> tuple[tuple[str, str, str], ...]:
    """What was expected and what came, part by part and only where they differ: (part, expected,
    yours). Entries that differ stand between « and »."""
    if expected.failure is not None or got.failure is not None:
        return ()
    rows = []
    for number, (want, have) in enumerate(zip(expected.values, got.values, strict=False)):
        call = f"call {number + 1}" if len(expected.values) > 1 else ""
        for name, a, b in _parts(want, have, parts):
            if not isinstance(a, Opaque) and difference(a, b, tolerance) is not None:
                rows.append((" ".join(filter(None, (call, name))), *_beside(a, b, tolerance)))
    return tuple(rows) or _gradient_sides(expected, got, tolerance)


def _parts(want: Any, have: Any, names: Sequence[str]) -> list[tuple[str, Any, Any]]:
    if isinstance(want, tuple) and isinstance(have, tuple | list) and len(want) == len(have):
        known = names if len(names) == len(want) else [f"part {i + 1}" for i in range(len(want))]
        return list(zip(known, want, have, strict=True))
    return [("", want, have)]


def _gradient_sides(
    expected: Outcome, got: Outcome, tolerance: float
) -> tuple[tuple[str, str, str], ...]:
    for key, want in expected.gradients.items():
        have = got.gradients.get(key)
        if want is not None and have is not None and difference(want, have, 10 * tolerance):
            return ((f"gradient of {key}", *_beside(want, have, 10 * tolerance)),)
    return ()


def _beside(want: Any, have: Any, tolerance: float) -> tuple[str, str]:
    """Both as text; of large tensors the row with the first difference."""
    if not isinstance(want, Tensor) or not isinstance(have, Tensor) or want.shape != have.shape:
        return show(want), show(have)
    if not want.dim() or not want.numel():
        return show(want), show(have)
    a, b = want.double().nan_to_num(nan=1e300), have.double().nan_to_num(nan=1e300)
    wrong = (a - b).abs() > tolerance * (1 + a.abs())
    if want.numel() <= SHOWN:
        digits = 4 if show(want) != show(have) else 8
        return _rows(want, None, digits), _rows(have, wrong, digits)
    first = torch.nonzero(wrong)[0].tolist() if bool(wrong.any()) else [0] * want.dim()
    row = tuple(first[:-1])
    left = max(0, first[-1] - 2)
    where = f"{[*row, ...]}".replace("Ellipsis", f"{left}:") if row else f"[{left}:]"
    cut = slice(left, left + 6)
    return (
        f"of shape {tuple(want.shape)}, at {where}\n{_rows(want[row][cut])}",
        f"at {where}\n{_rows(have[row][cut], wrong[row][cut])}",
    )


def _number(value: Any, digits: int = 4) -> str:
    if not isinstance(value, float) or value != value:
        return str(value)
    if abs(value) < 1e9 and value == int(value):
        return str(int(value))
    if abs(value) < 0.5 * 10**-digits:
        return f"{value:.1e}"
    return f"{value:.{digits}f}" if abs(value) < 1e4 else f"{value:.6g}"


def _rows(value: Tensor, marked: Tensor | None = None, digits: int = 4) -> str:
    """Rows of aligned columns; entries that are `marked` stand between « and »."""
    flat = [_number(v, digits) for v in value.flatten().tolist()]
    if marked is not None:
        marks = marked.flatten().tolist()
        flat = [
            f"«{cell}»" if mark else f" {cell} " for cell, mark in zip(flat, marks, strict=True)
        ]
    if value.dim() == 1:
        return "[" + (", " if marked is None else ",").join(flat).strip() + "]"
    width = max((len(cell) for cell in flat), default=0)
    columns = max(value.shape[-1], 1)
    rows = [
        "[" + "  ".join(cell.rjust(width) for cell in flat[i : i + columns]) + "]"
        for i in range(0, len(flat), columns)
    ]
    shape = f"shape {tuple(value.shape)}\n" if value.dim() > 2 else ""
    return shape + "\n".join(rows)


def difference(
    expected: Any, got: Any, tolerance: float, name: str = "the result", parts: tuple[str, ...] = ()
) -> str | None:
    """How `got` differs from `expected`, or None if it does not; `parts` names what a tuple holds.
    Numbers and 0-d tensors are the same."""
    if isinstance(expected, Opaque):
        return (
            None
            if isinstance(got, Opaque)
            else f"{name} should be a model or layer that can be called, not {describe(got)}"
        )
    if got is None and expected is not None:
        return f"{name} is None: is there a `return`?"
    if isinstance(expected, tuple):
        if not isinstance(got, tuple | list) or len(got) != len(expected):
            return f"{name} should be a tuple of {len(expected)}, not {describe(got)}"
        names = (
            parts
            if len(parts) == len(expected)
            else [f"{name}, part {i + 1} of {len(expected)}," for i in range(len(expected))]
        )
        found = (
            difference(e, g, tolerance, each)
            for e, g, each in zip(expected, got, names, strict=True)
        )
        return next((text for text in found if text), None)
    if isinstance(expected, list):
        if not isinstance(got, list | tuple | Tensor):
            return f"{name} should be a list, not {describe(got)}"
        same = _as_list(got) == expected
        return None if same else f"{name} should be {short(expected)}, not {short(got)}"
    if isinstance(expected, dict):
        return _dict_difference(expected, got, tolerance, name)
    if isinstance(expected, Tensor | bool | int | float):
        return _tensor_difference(expected, got, tolerance, name)
    return (
        None if expected == got else f"{name} should be {describe(expected)}, not {describe(got)}"
    )


def _as_list(value: Any) -> Any:
    """Tensors as the numbers that they hold, so that lists of them can be compared."""
    if isinstance(value, Tensor):
        return torch.atleast_1d(value).tolist()
    numbers = (item.tolist() if isinstance(item, Tensor) else item for item in value)
    return [item[0] if isinstance(item, list) and len(item) == 1 else item for item in numbers]


def _dict_difference(expected: dict[str, Any], got: Any, tolerance: float, name: str) -> str | None:
    if not isinstance(got, dict):
        return f"{name} should be a dict, not {describe(got)}"
    missing, extra = sorted(set(expected) - set(got)), sorted(set(got) - set(expected))
    if missing or extra:
        parts = [("lacks", missing), ("holds in addition", extra)]
        texts = [f"{verb} {', '.join(names[:4])}" for verb, names in parts if names]
        return f"{name} {' and '.join(texts)}"
    found = (difference(expected[key], got[key], tolerance, f"{name}, {key},") for key in expected)
    return next((text for text in found if text), None)


def _tensor_difference(expected: Any, got: Any, tolerance: float, name: str) -> str | None:
    if isinstance(got, tuple | list):
        return f"{name} should be one value, not {describe(got)}"
    if not isinstance(got, Tensor | bool | int | float):
        return f"{name} should be {describe(expected)}, not {describe(got)}"
    if isinstance(got, int) and abs(got) >= 2**63:
        return f"{name} is a whole number too large for any tensor"
    want, have = torch.as_tensor(expected), torch.as_tensor(got)
    if text := _form_difference(want, have, name):
        return text
    if want.dtype == have.dtype and torch.equal(want, have):
        return None  # the usual case, and cheap
    return _number_difference(want, have, tolerance, name)


def _form_difference(want: Tensor, have: Tensor, name: str) -> str | None:
    if want.shape != have.shape:
        return f"{name} has shape {tuple(have.shape)}, expected {tuple(want.shape)}"
    if want.dtype == torch.bool and have.dtype != torch.bool:
        return f"{name} should be boolean (True or False), not {have.dtype}"
    if want.is_floating_point() and not have.is_floating_point():
        return f"{name} should hold floating-point numbers, not {have.dtype}"
    return f"{name} holds complex numbers" if have.is_complex() else None


def _number_difference(want: Tensor, have: Tensor, tolerance: float, name: str) -> str | None:
    a, b = want.double(), have.double()
    if torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True):
        return None
    if bool((b.isnan() & ~a.isnan()).any()):
        return f"{name} contains NaN"
    apart = torch.where(a == b, torch.zeros_like(a), (a - b).abs()).nan_to_num(nan=float("inf"))
    # torch's own unravel_index imports sympy, for a second
    where = tuple(map(int, np.unravel_index(int(apart.argmax()), apart.shape)))
    at = f" at {list(where)}" if where else ""
    wrong = (apart > tolerance * (1 + a.abs())).sum()
    share = f"{int(wrong)} of {apart.numel()} values differ; " if apart.numel() > 1 else ""
    if want.dtype == torch.bool:
        return f"{share}{name}{at} is {bool(have[where])}, expected {bool(want[where])}"
    return f"{share}{name}{at} is {b[where]:.6g}, expected {a[where]:.6g}"


def outcome_difference(
    expected: Outcome,
    got: Outcome,
    tolerance: float,
    parts: tuple[str, ...] = (),
    arguments: Sequence[str] = (),
) -> str | None:
    """How an outcome differs in what came back (values, or the kind of error); None if it does not.
    `arguments` names the inputs."""
    if (expected.failure is None) != (got.failure is None):
        return "one raises an error, the other does not"
    if expected.failure is not None and got.failure is not None:
        return (
            None
            if expected.failure.type == got.failure.type
            else f"{got.failure.type} instead of {expected.failure.type}"
        )
    if len(got.values) != len(expected.values):
        return values_missing(got, len(expected.values))
    for number, (want, have) in enumerate(zip(expected.values, got.values, strict=True)):
        name = "the result" if len(expected.values) == 1 else f"the result of call {number + 1}"
        if text := difference(want, have, tolerance, name, parts):
            return text
    return gradient_difference(expected, got, tolerance, arguments)


def values_missing(got: Outcome, wanted: int) -> str | None:
    """An outcome without failure holds one value per call; one that does not proves nothing."""
    if len(got.values) == wanted:
        return None
    if not got.values:
        return "nothing came back"
    return f"{len(got.values)} values came back instead of {wanted}, one for each call"


def _spoken(key: str, arguments: Sequence[str]) -> str:
    """The name of a gradient for a reader: `state`[0] for argument 1[0]."""
    number = NUMBERED.match(key)
    if number is None or int(number[1]) >= len(arguments):
        return key
    return f"`{arguments[int(number[1])]}`{key[number.end() :]}"


def gradient_difference(
    expected: Outcome, got: Outcome, tolerance: float, arguments: Sequence[str] = ()
) -> str | None:
    for key, want in expected.gradients.items():
        have, name = got.gradients.get(key), _spoken(key, arguments)
        if key not in got.gradients:
            return f"no gradient of {name} came back"
        if want is None:
            continue
        if have is None:
            if bool(want.abs().max() <= tolerance):
                continue
            return (
                f"no gradient reaches {name}: was something detached, or turned into a Python "
                "number?"
            )
        scale = max(1.0, float(want.abs().max()))
        if text := _tensor_difference(
            want / scale, have / scale, 10 * tolerance, f"the gradient of {name}"
        ):
            return text
    return None
