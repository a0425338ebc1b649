"""Do exercises, notebooks, release and gradebook belong together? If not, one sentence says which
command mends it: grading by points that have changed would be wrong in silence."""

from pathlib import Path
from typing import Any

from autograder.course import Course, marks
from autograder.errors import UserError
from autograder.points.finals import has_gradebook

Graded = dict[str, float]  # name of a graded cell -> points


def graded(notebook: Path) -> Graded:
    """The graded cells of a notebook and what they are worth."""
    found = marks(notebook)
    return {name: float(m.get("points") or 0) for name, m in found.items() if m.get("grade")}


def check_built(course: Course, unit: str) -> None:
    """The source notebook has the points of its exercises; stops what would release old ones."""
    path = course.solutions / unit / f"{unit}.ipynb"
    if not path.is_file():
        return
    there = graded(path)
    for exercise in course.unit(unit).exercises:
        name = f"test_{exercise.name}"
        if name in there and there[name] != exercise.points:
            raise UserError(
                f"{exercise.name} is worth {exercise.points:g} points, but {there[name]:g} in"
                f" solutions/{unit}: run `make notebooks UNIT={unit[:2]}`, then"
                f" `autograder release {unit[:2]}`"
            )


def check(course: Course, unit: str) -> None:
    """All of it."""
    check_built(course, unit)
    check_files(course, unit)


def check_files(course: Course, unit: str) -> None:
    """Notebooks, release and gradebook: what a run looks at first. The exercises, which import
    torch, follow when there is something to grade."""
    released = graded(course.released(unit))
    source = course.solutions / unit / f"{unit}.ipynb"
    if source.is_file() and (wrong := _differ(graded(source), released)):
        raise UserError(
            f"the release of {unit} is older than its source ({wrong}):"
            f" run `autograder release {unit[:2]}`"
        )
    known = _in_gradebook(course, unit) if has_gradebook(course) else None
    if known is not None and (wrong := _differ(released, known)):
        raise UserError(
            f"the gradebook does not fit the release of {unit} ({wrong}):"
            f" run `autograder release {unit[:2]}`"
        )


def _differ(new: Graded, old: Graded) -> str:
    """The first thing in which two differ, in words."""
    for name in sorted({*new, *old}):
        if new.get(name) != old.get(name):
            said = [f"{each[name]:g}" if name in each else "nothing" for each in (new, old)]
            return f"{name}: {said[0]} instead of {said[1]} points"
    return ""


def _in_gradebook(course: Course, unit: str) -> Graded | None:
    from autograder.gradebook import api, opened

    with opened(course) as gradebook:
        try:
            notebook: Any = gradebook.find_notebook(unit, unit)
        except api.MissingEntry:
            return None
        cells = [*notebook.grade_cells, *notebook.task_cells]
        return {cell.name: float(cell.max_score) for cell in cells}
