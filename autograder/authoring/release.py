"""Releases assignments: nbgrader makes them aside, and they replace the old ones only when they are
whole."""

import os
import re
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from autograder import fit, nbgrader_bridge
from autograder.authoring.notebooks import swap
from autograder.course import GRADEBOOK, SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.points.finals import settle


def releasable(course: Course) -> list[str]:
    """The units whose source notebook is built."""
    return sorted(
        path.parent.name
        for path in course.solutions.glob("*/*.ipynb")
        if path.stem == path.parent.name
    )


def release(course: Course, unit: str) -> Path:
    """solutions/UNIT -> assignments/UNIT, with the cells recorded in the gradebook; returns the
    released notebook."""
    if unit not in releasable(course):
        raise UserError(
            f"solutions/{unit}/{unit}.ipynb is not built: run `make notebooks UNIT={unit[:2]}`"
            " first"
        )
    fit.check_built(course, unit)
    from autograder.gradebook import open_gradebook

    open_gradebook(
        course
    ).close()  # whatever is wrong with it is said clearly before nbgrader says it unclearly
    with tempfile.TemporaryDirectory(dir=course.root, prefix=".release-") as folder:
        nbgrader_bridge.generate_assignment(course, unit, Path(folder).name, database=True)
        made = Path(folder) / unit / f"{unit}.ipynb"
        if "BEGIN SOLUTION" in made.read_text(encoding="utf-8"):
            raise UserError(
                f"the released {unit} would hold a solution: is a BEGIN SOLUTION outside a graded"
                " cell?"
            )
        course.assignments.mkdir(exist_ok=True)
        swap(Path(folder) / unit, course.assignments / unit)
    settle(course, unit)
    return course.released(unit)


def opened(course: Course, units: list[str], now: datetime | None = None) -> list[str]:
    """Those whose date in [open] of course.toml has come, or that have none."""
    now = now or datetime.now(UTC)
    return [unit for unit in units if course.settings.open.get(unit, now) <= now]


def new_course(folder: Path) -> Course:
    """A fresh course of its own with the assignments of this one and a gradebook of its own, for
    demos, benchmarks and tests."""
    if (folder / "course.toml").exists():
        raise UserError(f"{folder} is a course already")
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(SOURCE_TREE / "nbgrader_config.py", folder)
    settings = (SOURCE_TREE / "course.toml").read_text(encoding="utf-8")
    (folder / "course.toml").write_text(re.sub(r"(?m)^url\s*=.*$", "", settings), encoding="utf-8")
    os.environ.pop(
        GRADEBOOK, None
    )  # nobody simulated may get into the gradebook of the real course
    for notebook in SOURCE_TREE.glob("solutions/*/*.ipynb"):
        (folder / "solutions" / notebook.stem).mkdir(parents=True, exist_ok=True)
        shutil.copy(notebook, folder / "solutions" / notebook.stem / notebook.name)
    return Course(folder.resolve())
