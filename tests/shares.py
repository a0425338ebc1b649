"""Parameters of a test, shared between `make test` and `make test-full`."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def long_where(values: Iterable[Any], long: Callable[[Any], bool]) -> list[Any]:
    """The same parameters; those that take long are left to `make test-full`."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.long)
        if long(value)
        else value
        for value in values
    ]
