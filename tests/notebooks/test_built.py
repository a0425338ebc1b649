"""The built notebooks: up to date, complete, and free of what students must not get."""

import ast
import itertools
import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.authoring import notebooks
from autograder.authoring.release import releasable
from autograder.course import SOURCE_TREE, Course
from course_utils import exercises

COURSE = Course(SOURCE_TREE)
LECTURES = [
    name for name in notebooks.names(COURSE) if notebooks.lecture_source(COURSE, name).is_file()
]
ASSIGNMENTS = releasable(COURSE)
UNITS = [
    unit.name for unit in exercises.units() if unit.exercises
]  # the project has none, and no lecture


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def released(name: str) -> dict[str, Any]:
    return read(COURSE.assignments / name / f"{name}.ipynb")


def lecture(name: str) -> dict[str, Any]:
    return read(notebooks.lecture_path(COURSE, name))


def test_nothing_is_stale() -> None:
    assert notebooks.stale(COURSE) == [], "run `make notebooks`"


def test_every_unit_has_everything() -> None:
    for unit in exercises.units():
        assert unit.name in LECTURES or not unit.exercises
        assert unit.name in ASSIGNMENTS


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_a_released_notebook_holds_no_solution(name: str) -> None:
    everything = json.dumps(released(name))
    for word in ("BEGIN SOLUTION", "END SOLUTION", "HIDDEN TESTS", "Rubric", "jupytext", "{{"):
        assert word not in everything
    assert all(not cell.get("outputs") for cell in released(name)["cells"])


@pytest.mark.parametrize("name", UNITS)
def test_every_exercise_has_its_cells_and_its_points(name: str) -> None:
    graded = {
        c["metadata"]["nbgrader"]["grade_id"]: c
        for c in released(name)["cells"]
        if "nbgrader" in c["metadata"]
    }
    for exercise in exercises.unit(name).exercises:
        answer, test = graded[exercise.name], graded[f"test_{exercise.name}"]
        assert answer["id"] == exercise.name
        assert test["id"] == f"test_{exercise.name}"
        assert answer["metadata"]["nbgrader"]["solution"]
        assert test["metadata"]["nbgrader"]["points"] == exercise.points
    written = [
        c
        for c in graded.values()
        if c["cell_type"] == "markdown" and c["metadata"]["nbgrader"]["points"] > 0
    ]
    assert written, "at least one written question"
    spotted = [e for e in exercises.unit(name).exercises if e.kind == "choice"]
    assert len(spotted) >= 2, "at least two questions on the slides' mistakes"


def breaks_the_rules(source: str, name: str) -> bool:
    """A test cell is the single expression check(NAME) or check(NAME, "NAME"): that value is what
    nbgrader reads.
    """
    body = ast.parse(source).body
    if (
        len(body) != 1
        or not isinstance(body[0], ast.Expr)
        or not isinstance(call := body[0].value, ast.Call)
    ):
        return True
    plain = (
        isinstance(call.func, ast.Name)
        and call.func.id == "check"
        and not call.keywords
        and not source.rstrip().endswith(";")
    )
    arguments = [a.id if isinstance(a, ast.Name) else getattr(a, "value", None) for a in call.args]
    return (
        not plain
        or not isinstance(call.args[0], ast.Name)
        or arguments not in ([name], [name, name])
    )


@pytest.mark.parametrize("name", UNITS)
def test_test_cells_follow_the_rules(name: str) -> None:
    cells = {c["id"]: text(c) for c in released(name)["cells"]}
    for exercise in exercises.unit(name).exercises:
        assert not breaks_the_rules(cells[f"test_{exercise.name}"], exercise.name)


@pytest.mark.parametrize(
    "source",
    [
        "check(f);",
        "x = check(f)",
        "display(check(f))",
        "check(f)\n1",
        "check(g)",
        "check(f, exercise='f')",
        "check('f')",
    ],
)
def test_the_rules_for_test_cells_can_be_broken(source: str) -> None:
    assert breaks_the_rules(source, "f")


@pytest.mark.parametrize(
    "path",
    [
        *SOURCE_TREE.glob("lectures/*.ipynb"),
        *SOURCE_TREE.glob("assignments/*/*.ipynb"),
        *SOURCE_TREE.glob("solutions/*/*.ipynb"),
    ],
    ids=lambda p: p.stem,
)
def test_notebooks_are_valid_and_open_in_colab(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(ids) == len(set(ids))
    repository = COURSE.settings.student_repository
    folder = "lectures" if path.parent.name == "lectures" else f"assignments/{path.stem}"
    assert (
        f"{repository['owner']}/{repository['name']}/blob/{repository['branch']}/{folder}/{path.stem}.ipynb"
        in text(notebook["cells"][1])
    )
    assert "--no-deps" in text(notebook["cells"][2])
    assert "attachment:" not in json.dumps(notebook)
    assert all(cell["cell_type"] != "raw" for cell in notebook["cells"])


def headings(notebook: dict[str, Any]) -> list[tuple[int, str]]:
    found = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            prose = re.sub(r"```.*?```", "", text(cell), flags=re.S)
            found += [
                (len(marks), title.strip())
                for marks, title in re.findall(r"^(#{1,6}) (.+)$", prose, flags=re.M)
            ]
    return found


@pytest.mark.parametrize("name", LECTURES)
def test_a_lecture_is_complete(name: str) -> None:
    notebook = lecture(name)
    found = headings(notebook)
    assert [level for level, _ in found].count(1) == 1
    assert all(after - before <= 1 for (before, _), (after, _) in itertools.pairwise(found)), (
        "a heading level is skipped"
    )
    sections = [title for level, title in found if level == 2]
    assert len(sections) == len(set(sections)), "section headings are unique"
    for title in ("Summary", "Questions", "Where next"):
        assert title in sections
    prose = "\n".join(text(c) for c in notebook["cells"] if c["cell_type"] == "markdown")
    assert prose.count("<details>") >= 3
    after = next(
        (other for other in LECTURES if other > name), "../assignments/11_project/11_project"
    )
    for target in (f"../assignments/{name}/{name}.ipynb", f"{after}.ipynb"):
        assert f"]({target})" in prose, f"no link to {target}"
    sections_named = {e.section for e in exercises.unit(name).exercises}
    assert sections_named <= {title for _, title in found}, (
        f"no such section: {sections_named - {title for _, title in found}}"
    )


@pytest.mark.parametrize("name", LECTURES)
def test_the_outputs_of_a_lecture_are_clean(name: str) -> None:
    sliders = 0
    for cell in lecture(name)["cells"]:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr", text(cell)
            data = output.get("data", {})
            if "image/png" in data:
                assert cell["metadata"].get("mystnb", {}).get("image", {}).get("alt"), (
                    f"a figure without alt text: {text(cell)[:80]}"
                )
            sliders += "course-slider" in "".join(data.get("text/html", ""))
            assert len("".join(output.get("text", ""))) < 2000, "a wall of numbers"
    assert sliders >= 1, "at least one interactive figure"
