"""The course to which everything hostile is handed in, released once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Course
from tests.autograder import classroom


@pytest.fixture(scope="session")
def base(shared: Callable[..., Path]) -> Course:
    return Course(shared("hostile", classroom.make).resolve())
