"""The graded exercises, one module per unit; a module that defines `UNIT` is a unit, so adding a file adds a unit."""

import difflib
import importlib
import pkgutil
from functools import cache

from course_utils.exercise import Choice, Exercise, Unit


@cache
def units() -> tuple[Unit, ...]:
    """All units in order."""
    modules = [importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return tuple(sorted((module.UNIT for module in modules), key=lambda unit: unit.name))


def unit(name: str) -> Unit:
    """The unit called `01` or `01_nadaraya_watson`."""
    for candidate in units():
        if name in (candidate.name, candidate.name.split("_", 1)[0]):
            return candidate
    raise KeyError(f"There is no unit {name!r}. The units are: {', '.join(u.name for u in units())}.")


@cache
def _by_name() -> dict[str, Exercise | Choice]:
    return {exercise.name: exercise for each in units() for exercise in each.exercises}


def find(name: str) -> Exercise | Choice:
    """The exercise of this name; names are unique in the course."""
    if name in _by_name():
        return _by_name()[name]
    near = difflib.get_close_matches(name, _by_name(), n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise KeyError(f"There is no exercise called {name!r}.{hint}")


def unit_of(name: str) -> Unit:
    """The unit to which an exercise belongs."""
    return next(each for each in units() if any(e.name == name for e in each.exercises))
