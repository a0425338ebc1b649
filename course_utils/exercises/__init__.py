"""The graded exercises: a folder here is a unit, a file in it an exercise; nothing is registered
elsewhere, and nothing here is shown to a student's process."""

import difflib
import importlib
from functools import cache
from pathlib import Path

from course_utils.judging.exercise import Choice, Exercise, Unit


@cache
def _folders() -> dict[str, str]:
    """In which folder an exercise is; names are unique in the course."""
    files = sorted(Path(__file__).parent.glob("*/[!_]*.py"))
    return {file.stem: file.parent.name for file in files}


def _unit_in(folder: str) -> Unit:
    unit: Unit = importlib.import_module(f"{__name__}.{folder}").UNIT
    return unit


@cache
def units() -> tuple[Unit, ...]:
    """All units in order."""
    folders = [path.parent.name for path in Path(__file__).parent.glob("*/__init__.py")]
    return tuple(sorted(map(_unit_in, folders), key=lambda unit: unit.name))


def unit(name: str) -> Unit:
    """The unit called `01` or `01_nadaraya_watson`; by its whole name only this one is imported."""
    folder = name.partition("_")[2]
    if folder in _folders().values() and (found := _unit_in(folder)).name == name:
        return found
    for candidate in units():
        if name in (candidate.name, candidate.name.split("_", 1)[0]):
            return candidate
    known = ", ".join(u.name for u in units())
    raise KeyError(f"There is no unit {name!r}. The units are: {known}.")


def find(name: str) -> Exercise | Choice:
    """The exercise of this name."""
    for exercise in unit_of(name).exercises:
        if exercise.name == name:
            return exercise
    raise KeyError(f"{name!r} is not in the UNIT of its folder, or its file has another name.")


def unit_of(name: str) -> Unit:
    """The unit to which an exercise belongs; of all units, only this one is imported."""
    if name in _folders():
        return _unit_in(_folders()[name])
    near = difflib.get_close_matches(name, _folders(), n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise KeyError(f"There is no exercise called {name!r}.{hint}")
