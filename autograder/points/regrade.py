"""An exercise turned out to be wrong: whom a change of it concerns, and nobody loses points by it.

What an exercise depends on is known by the code that it imports; what was in force when a unit was
graded last is kept in runs/versions/.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.course import Course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.grading import answers, results, view
from autograder.points.scores import cell_scores

if TYPE_CHECKING:
    from course_utils.judging.exercise import Unit  # imports torch, for seconds

Scores = Mapping[str, Mapping[str, float | None]]  # student -> graded cell -> automatic score


def versions(unit: "Unit") -> dict[str, str]:
    """Exercise -> digest of the code that decides about it."""
    return {each.name: _digest(unit, each.name) for each in unit.exercises}


def _digest(unit: "Unit", name: str) -> str:
    known, package = view.sources(), f"{view.HIDDEN}.{unit.module}"
    queue, found = [f"{package}.{name}", "check", "judging.runner"], set[str]()
    while queue:
        module = queue.pop()
        if module not in found and module != package:  # which only lists the exercises
            found.add(module)
            queue += view.imports(known[module], known)
    digest = hashlib.sha256()
    for module in sorted(found):
        digest.update(module.encode() + known[module].read_bytes())
    return digest.hexdigest()[:16]


def remembered(course: Course, unit: str) -> bool:
    """Is it known by what code everybody was graded?"""
    return _path(course, unit).is_file()


def remember(course: Course, unit: str) -> None:
    """By what code everybody is graded now."""
    write_whole(_path(course, unit), json.dumps(versions(course.unit(unit)), indent=1))


def changed(course: Course, unit: str) -> list[str]:
    """The exercises whose code has changed since everybody was graded last."""
    try:
        before = dict(json.loads(_path(course, unit).read_bytes()))
    except (OSError, ValueError):
        raise UserError(
            f"nobody knows by which code {unit} was graded:"
            f" run `autograder grade {course.typed(unit)}`"
        ) from None
    now = versions(course.unit(unit))
    return [name for name, digest in now.items() if before.get(name) != digest]


def concerned(course: Course, unit: str, exercises: Iterable[str]) -> list[str]:
    """The graded students who have begun one of these exercises."""
    wanted, found = set(exercises), []
    for path in sorted((course.root / "runs" / "results" / unit).glob("*.json")):
        result = results.read(course.root, unit, path.stem)
        cells = result.cells if result is not None else ()
        if any(cell.exercise in wanted and cell.status != "not started" for cell in cells):
            found.append(path.stem)
    return found


def keep(
    course: Course, unit: str, before: Scores, same: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, tuple[float, float]]]:
    """Give back what a regrade took from answers that did not change: student -> graded cell ->
    points kept, and what they would be now. `same` holds the answers as they were before."""
    now = cell_scores(course, unit)
    lost: dict[str, dict[str, tuple[float, float]]] = {}
    for student, cells in before.items():
        for name, old in cells.items():
            new = now.get(student, {}).get(name)
            if old is not None and new is not None and new < old - 1e-9:
                lost.setdefault(student, {})[name] = (old, new)
    kept = {
        student: cells
        for student, cells in lost.items()
        if same.get(student) and same[student] == answers.stored(course, unit, student)
    }
    _write(course, unit, kept)
    return kept


def _write(
    course: Course, unit: str, kept: Mapping[str, Mapping[str, tuple[float, float]]]
) -> None:
    if not kept:
        return
    from autograder.gradebook import opened

    with opened(course) as gradebook:
        for student, cells in kept.items():
            notebook = gradebook.find_submission_notebook(unit, unit, student)
            for grade in notebook.grades:
                if grade.name in cells:
                    grade.auto_score = cells[grade.name][0]
        gradebook.db.commit()


def _path(course: Course, unit: str) -> Path:
    return course.root / "runs" / "versions" / f"{unit}.json"
