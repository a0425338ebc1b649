"""Releases assignments: nbgrader makes them aside, and they replace the old ones only when they are whole."""

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from autograder import nbgrader_bridge
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.notebooks import swap


def releasable(course: Course) -> list[str]:
    """The units whose source notebook is built."""
    return sorted(path.parent.name for path in course.solutions.glob("*/*.ipynb") if path.stem == path.parent.name)


def release(course: Course, unit: str) -> Path:
    """solutions/UNIT -> assignments/UNIT, with the cells recorded in the gradebook; returns the released notebook."""
    if unit not in releasable(course):
        raise UserError(f"solutions/{unit}/{unit}.ipynb is not built: run `make notebooks UNIT={unit[:2]}` first")
    with tempfile.TemporaryDirectory(dir=course.root, prefix=".release-") as folder:
        nbgrader_bridge.generate_assignment(course, unit, Path(folder).name, database=True)
        made = Path(folder) / unit / f"{unit}.ipynb"
        if "BEGIN SOLUTION" in made.read_text(encoding="utf-8"):
            raise UserError(f"the released {unit} would hold a solution: is a BEGIN SOLUTION outside a graded cell?")
        swap(Path(folder) / unit, course.assignments / unit)
    set_due_date(course, unit)
    return course.released(unit)


def set_due_date(course: Course, unit: str) -> None:
    """Tell nbgrader the due date of course.toml, in UTC as it keeps it."""
    from nbgrader.api import Gradebook

    due = course.settings.due.get(unit)
    if due is None:
        return
    if not isinstance(due, datetime) or due.tzinfo is None:
        raise UserError(f"course.toml: the due date of {unit} must be a date and time with a time zone, e.g. 2027-03-01T23:59:00+01:00")
    with Gradebook(course.gradebook_url) as gradebook:
        gradebook.update_or_create_assignment(unit, duedate=due.astimezone(UTC).replace(tzinfo=None))


def new_course(folder: Path) -> Course:
    """A fresh course of its own with the assignments of this one, for demos, benchmarks and tests."""
    if (folder / "course.toml").exists():
        raise UserError(f"{folder} is a course already")
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("course.toml", "nbgrader_config.py"):
        shutil.copy(SOURCE_TREE / name, folder / name)
    for notebook in SOURCE_TREE.glob("solutions/*/*.ipynb"):
        (folder / "solutions" / notebook.stem).mkdir(parents=True, exist_ok=True)
        shutil.copy(notebook, folder / "solutions" / notebook.stem / notebook.name)
    return Course(folder.resolve())
