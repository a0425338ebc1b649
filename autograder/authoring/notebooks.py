"""Builds the notebooks from their text: `.py` (jupytext percent) -> `.ipynb`, with stable ids and
nbgrader's metadata."""

import hashlib
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder import nbgrader_bridge
from autograder.course import Course
from autograder.errors import UserError
from autograder.files import swap as swap
from autograder.files import write_whole
from course_utils import exercises
from course_utils.judging.exercise import Choice

COLAB = "https://colab.research.google.com"
TOLD_TOGETHER = "*Decide first: which choices are right is told once all of them are answered.*"
OPENING = "set-up"  # tag of the two cells that the build puts after the title
SET_UP = """\
# Set-up: does nothing on your own machine. In Colab it installs the course's small package
# and leaves the packages that Colab has alone.
import importlib.util
import sys

if "google.colab" in sys.modules and importlib.util.find_spec("course_utils") is None:
    %pip install -q --no-deps {url}"""


def lecture_source(course: Course, name: str) -> Path:
    return course.root / "lectures" / f"{name}.py"


def solution_source(course: Course, name: str) -> Path:
    return course.root / "solutions" / f"{name}.py"


def lecture_path(course: Course, name: str) -> Path:
    return course.root / "lectures" / f"{name}.ipynb"


def solution_path(course: Course, name: str) -> Path:
    return course.root / "solutions" / name / f"{name}.ipynb"


def names(course: Course) -> list[str]:
    """The units that have a source: lectures, assignments, or both."""
    sources = [
        *(course.root / "lectures").glob("[0-9][0-9]_*.py"),
        *(course.root / "solutions").glob("[0-9][0-9]_*.py"),
    ]
    return sorted({path.stem for path in sources})


# Assembling --------------------------------------------------------------------------------------


def lecture(course: Course, name: str) -> NotebookNode:
    """A lecture, not yet run."""
    return _finish(_opened(course, _read(lecture_source(course, name)), f"lectures/{name}.ipynb"))


def solution(course: Course, name: str) -> NotebookNode:
    """nbgrader's source notebook of an assignment."""
    notebook = _opened(
        course, _read(solution_source(course, name)), f"assignments/{name}/{name}.ipynb"
    )
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _fill_in(cell.source)
        if "nbgrader" in cell.metadata:
            cell.metadata["nbgrader"] = _graded(cell, name)
    return _finish(notebook)


def source_hash(notebook: NotebookNode) -> str:
    """Of everything that an author wrote in a notebook: its cells, before they are run."""
    written = [
        (cell.id, cell.cell_type, cell.source, cell.metadata)
        for cell in notebook.cells
        if not opening(cell)
    ]
    return hashlib.sha256(
        json.dumps(written, sort_keys=True, ensure_ascii=False).encode()
    ).hexdigest()


def _read(path: Path) -> NotebookNode:
    if not path.is_file():
        raise UserError(f"there is no {path.name} in {path.parent.name}/")
    return jupytext.read(path, fmt="py:percent")


def _opened(course: Course, notebook: NotebookNode, path: str) -> NotebookNode:
    """Put the Colab badge and the set-up cell after the title."""
    repository = course.settings.repository
    place = f"{repository.owner}/{repository.name}"
    picture = f"![Open In Colab]({COLAB}/assets/colab-badge.svg)"
    badge = f"[{picture}]({COLAB}/github/{place}/blob/{repository.branch}/{path})"
    set_up = SET_UP.format(url=f"git+https://github.com/{place}@{repository.branch}")
    tags = {"tags": [OPENING]}
    notebook.cells[1:1] = [
        new_markdown_cell(badge, metadata=tags),
        new_code_cell(set_up, metadata=tags),
    ]
    return notebook


def opening(cell: NotebookNode) -> bool:
    """Is this the badge or the set-up cell?"""
    return OPENING in cell.metadata.get("tags", [])


def _fill_in(text: str) -> str:
    """{{points NAME}} and {{options NAME}}: what the exercise says about itself."""

    def value(match: re.Match[str]) -> str:
        what, name = match.groups()
        try:
            exercise = exercises.find(name)
        except KeyError as error:
            raise UserError(error.args[0]) from None
        if what == "points":
            return f"{exercise.points:g} point{'' if exercise.points == 1 else 's'}"
        if not isinstance(exercise, Choice):
            raise UserError(f"{{{{options {name}}}}}: {name} is not a choice")
        options = [f"- **{letter}** {option.text}" for letter, option in exercise.options.items()]
        return "\n".join(["\n", *options, "", TOLD_TOGETHER])

    filled = re.sub(r"\{\{(points|options)\s+(\w+)\}\}", value, text)  # it may be wrapped
    if (left := re.search(r"\{\{\s*(points|options)\b[^\n]*", filled)) is not None:
        raise UserError(
            f"{left[0]!r} is not filled in: write {{{{points NAME}}}} or {{{{options NAME}}}}"
        )
    return filled


def _graded(cell: NotebookNode, unit: str) -> dict[str, Any]:
    """nbgrader's metadata of a graded cell, from its name and the exercise it belongs to."""
    given = dict(cell.metadata["nbgrader"])
    grade_id = given.get("grade_id")
    if not grade_id or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", grade_id):
        raise UserError(
            f"solutions/{unit}.py: a graded cell needs a grade_id of 1 to 64 letters, digits, _"
            f" or -, not {grade_id!r}"
        )
    tests, written = grade_id.startswith("test_"), cell.cell_type == "markdown"
    points = given.get("points")
    if tests and points is None:
        try:
            points = exercises.find(grade_id.removeprefix("test_")).points
        except KeyError as error:
            raise UserError(f"solutions/{unit}.py: {error.args[0]}") from None
    if written and points is None:
        raise UserError(f"solutions/{unit}.py: the written question {grade_id!r} needs points")
    grade = points is not None  # a test, or an answer (written or code) that is graded by hand
    metadata = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": tests,
        "schema_version": 3,
        "solution": not tests,
        "task": False,
    }
    return metadata | {"points": points} if grade else metadata


def other_points(course: Course, name: str) -> dict[str, float]:
    """What a built assignment is worth beside its exercises: in test cells of plain assertions, and
    graded by hand."""
    path = solution_path(course, name)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.is_file() else []
    graded = [data for cell in cells if (data := cell["metadata"].get("nbgrader", {})).get("grade")]
    known = {f"test_{exercise.name}" for exercise in exercises.unit(name).exercises}
    rest = [data for data in graded if data["grade_id"] not in known]
    return {
        "by_asserts": sum(data["points"] for data in rest if not data["solution"]),
        "by_hand": sum(data["points"] for data in rest if data["solution"]),
    }


def _finish(notebook: NotebookNode) -> NotebookNode:
    """Stable ids, and no trace of how the notebook was made."""
    used: dict[str, int] = {}
    for cell in notebook.cells:
        cell.metadata.pop("lines_to_next_cell", None)
        if alt := cell.metadata.pop("alt", None):
            cell.metadata["mystnb"] = {"image": {"alt": alt}}
        ident = (
            cell.metadata.get("nbgrader", {}).get("grade_id")
            or "c" + hashlib.sha256(cell.source.encode()).hexdigest()[:11]
        )
        used[ident] = used.get(ident, 0) + 1
        cell["id"] = ident if used[ident] == 1 else f"{ident}-{used[ident]}"
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": kernel, "language_info": {"name": "python"}}
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata["course"] = {"source": source_hash(notebook)}
    return notebook


# Building ----------------------------------------------------------------------------------------


def build_lecture(course: Course, name: str) -> None:
    """Run a lecture and write it with its outputs."""
    notebook = lecture(course, name)
    execute(notebook, course.root / "lectures")
    _write(notebook, lecture_path(course, name))


def execute(notebook: NotebookNode, folder: Path, timeout: int = 900) -> None:
    """Run a notebook in a fresh kernel; an error names the cell."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    environment = {**os.environ, "PYTHONWARNINGS": "ignore::DeprecationWarning"}
    client = NotebookClient(
        notebook,
        timeout=timeout,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
    )
    try:
        client.execute(env=environment)
    except CellExecutionError as error:
        raise UserError(f"a cell fails: {error}") from None
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(
                "application/vnd.jupyter.widget-view+json", None
            )  # its frames stay, and need no kernel


def build_assignment(course: Course, name: str) -> None:
    """Write nbgrader's source notebook, and what students get from it."""
    _write(solution(course, name), solution_path(course, name))
    with tempfile.TemporaryDirectory(dir=course.root, prefix=".build-") as folder:
        nbgrader_bridge.generate_assignment(course, name, Path(folder).name, database=False)
        course.assignments.mkdir(exist_ok=True)
        swap(Path(folder) / name, course.assignments / name)


def _write(notebook: NotebookNode, path: Path) -> None:
    nbformat.validate(notebook)
    write_whole(path, nbformat.writes(notebook) + "\n")


def stale(course: Course, units: list[str] | None = None) -> list[str]:
    """What `make notebooks` would have to build, of all units or of these."""
    wanted: list[tuple[Path, NotebookNode]] = []
    for name in names(course) if units is None else units:
        if lecture_source(course, name).is_file():
            wanted.append((lecture_path(course, name), lecture(course, name)))
        if solution_source(course, name).is_file():
            made = solution(course, name)
            wanted += [
                (path, made)
                for path in (
                    solution_path(course, name),
                    course.assignments / name / f"{name}.ipynb",
                )
            ]
    return [
        str(path.relative_to(course.root))
        for path, made in wanted
        if not same_source(path, made) or not same_opening(path, made)
    ]


def same_source(path: Path, made: NotebookNode) -> bool:
    """Was the notebook at `path` built from the cells of `made`?"""
    if not path.is_file():
        return False
    recorded = nbformat.read(path, as_version=4).metadata.get("course", {}).get("source")
    return bool(recorded == source_hash(made))


def same_opening(path: Path, made: NotebookNode) -> bool:
    there = [cell.source for cell in nbformat.read(path, as_version=4).cells if opening(cell)]
    return there == [cell.source for cell in made.cells if opening(cell)]


def code_of(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells that compute something: what they print depends on nothing else that is written in
    the notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and not opening(cell)]


def same_code(path: Path, made: NotebookNode) -> bool:
    if not path.is_file():
        return False
    return [cell.source for cell in code_of(nbformat.read(path, as_version=4))] == [
        cell.source for cell in code_of(made)
    ]


def rewrite(path: Path, made: NotebookNode) -> None:
    """Only prose, badge or set-up have changed: write them anew, and keep the outputs."""
    for new, old in zip(code_of(made), code_of(nbformat.read(path, as_version=4)), strict=True):
        new.outputs, new.execution_count = old.outputs, old.execution_count
    _write(made, path)


def refresh_lecture(course: Course, name: str, force: bool) -> None:
    path, made = lecture_path(course, name), lecture(course, name)
    if force or not same_code(path, made):
        print(f"running lectures/{name}.ipynb", flush=True)
        build_lecture(course, name)
    elif not same_source(path, made) or not same_opening(path, made):
        print(f"new prose in lectures/{name}.ipynb, its outputs are kept", flush=True)
        rewrite(path, made)


def refresh_assignment(course: Course, name: str, force: bool) -> None:
    made = solution(course, name)
    paths = (solution_path(course, name), course.assignments / name / f"{name}.ipynb")
    if force or not all(same_source(path, made) and same_opening(path, made) for path in paths):
        print(f"building assignments/{name}/{name}.ipynb", flush=True)
        build_assignment(course, name)


def main(arguments: list[str]) -> int:
    """Build what is stale, or the units named: `python -m autograder.authoring.notebooks [--all]
    [UNIT …]`."""
    options = {argument for argument in arguments if argument.startswith("-")}
    if options - {"--all"}:
        raise UserError("python -m autograder.authoring.notebooks [--all] [UNIT ...]")
    course = Course.find()
    chosen = [course.unit_name(a) for a in arguments if a not in options]
    force = "--all" in arguments
    for name in chosen or names(course):
        if lecture_source(course, name).is_file():
            refresh_lecture(course, name, force)
        if solution_source(course, name).is_file():
            refresh_assignment(course, name, force)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"make notebooks: {error}")
