"""The project: its starter runs as released, and everything in it is graded by hand."""

import json
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.authoring import notebooks
from autograder.authoring.release import release
from autograder.course import SOURCE_TREE, Course
from autograder.grading import run
from autograder.sandbox.proof import highest

UNIT = "11_project"
RELEASED = Course(SOURCE_TREE).assignments / UNIT / f"{UNIT}.ipynb"


def graded(path: Path) -> list[dict[str, Any]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["metadata"].get("nbgrader", {}).get("grade")]


def text(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_everything_is_graded_by_hand() -> None:
    cells = graded(RELEASED)
    assert sum(cell["metadata"]["nbgrader"]["points"] for cell in cells) == 40
    assert all(
        cell["metadata"]["nbgrader"]["solution"] and not cell["metadata"]["nbgrader"]["locked"]
        for cell in cells
    )
    assert [cell["cell_type"] for cell in cells].count("markdown") >= 4
    assert [cell["cell_type"] for cell in cells].count("code") >= 4


def test_every_part_has_a_rubric_that_is_not_released() -> None:
    solved = graded(notebooks.solution_path(Course(SOURCE_TREE), UNIT))
    assert len(solved) == len(graded(RELEASED)) >= 6
    for cell in solved:
        assert "Rubric." in text(cell)
    for cell in graded(RELEASED):
        assert text(cell) in ("YOUR ANSWER HERE", "...  # YOUR CODE HERE")


def test_the_points_of_a_rubric_add_up() -> None:
    for cell in graded(notebooks.solution_path(Course(SOURCE_TREE), UNIT)):
        end = "**A good hand-in" if cell["cell_type"] == "markdown" else "\n"
        rubric = text(cell).split("Rubric.")[1].split(end)[0]
        points = [int(number) for number in re.findall(r"\b(\d)(?: points?)?: ", rubric)]
        assert sum(points) == cell["metadata"]["nbgrader"]["points"], text(cell)


def test_the_milestones_take_twelve_hours() -> None:
    everything = "\n".join(
        text(cell) for cell in json.loads(RELEASED.read_text(encoding="utf-8"))["cells"]
    )
    table = everything.split("## Twelve hours")[1].split("## Rules")[0]
    assert sum(float(hours) for hours in re.findall(r"^\| ([\d.]+) \|", table, flags=re.M)) == 12


@pytest.mark.parametrize("topic", ["digits", "dates", "letters", "relations"])
def test_the_starter_runs_with_every_topic(
    topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COURSE_FAST", "1")
    notebook = nbformat.read(RELEASED, as_version=4)
    for cell in notebook.cells:
        cell.source = cell.source.replace('TOPICS["digits"]', f'TOPICS["{topic}"]')
    assert any(f'TOPICS["{topic}"]' in cell.source for cell in notebook.cells)
    notebooks.execute(notebook, tmp_path)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert all(
        output.output_type != "error" and output.get("name") != "stderr" for output in outputs
    )
    tables = [
        output.data["text/plain"] for output in outputs if "text/plain" in output.get("data", {})
    ]
    assert any("starter" in table and "hard validation" in table for table in tables)


@pytest.mark.slow
def test_grading_leaves_everything_to_a_person(course: Course) -> None:
    released = json.loads(release(course, UNIT).read_text(encoding="utf-8"))
    question = next(cell for cell in released["cells"] if cell["id"] == "project_question")
    question["source"] = "Does a moved digit stay the same digit?"
    folder = course.submitted / "one" / UNIT
    folder.mkdir(parents=True)
    (folder / f"{UNIT}.ipynb").write_text(json.dumps(released), encoding="utf-8")
    proof, _ = highest()
    assert run.grade(course, UNIT, min_level=proof.level if proof is not None else 0).graded == 1
    with Gradebook(course.gradebook_url) as gradebook:
        submission = gradebook.find_submission(UNIT, "one")
        assert (submission.score, submission.max_score, submission.needs_manual_grade) == (
            0,
            40,
            True,
        )
        scores = {grade.name: grade.auto_score for grade in submission.notebooks[0].grades}
    assert scores["project_question"] is None
    assert scores["project_change"] == 0  # never touched
