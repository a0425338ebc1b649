"""Every unit through the grader: the solution gets all points, the released notebook as it is gets
none and is told so.
"""

import json
import shutil

import pytest

from autograder.authoring.release import release
from autograder.course import Course
from autograder.grading import results, run
from autograder.sandbox.proof import highest
from course_utils import exercises

UNITS = [unit.name for unit in exercises.units() if unit.exercises]


@pytest.mark.slow
@pytest.mark.parametrize("name", UNITS)
def test_solution_and_stub(course: Course, name: str) -> None:
    released = release(course, name)
    for student, source in {
        "solved": course.solutions / name / f"{name}.ipynb",
        "untouched": released,
    }.items():
        folder = course.submitted / student / name
        folder.mkdir(parents=True)
        shutil.copy(source, folder / f"{name}.ipynb")
    proof, _ = highest()
    summary = run.grade(course, name, min_level=proof.level if proof is not None else 0)
    assert summary.graded == 2
    solved, untouched = (
        results.read(course.root, name, student) for student in ("solved", "untouched")
    )
    assert solved is not None
    assert untouched is not None
    assert {c.name: c.status for c in solved.cells if c.exercise} == {
        f"test_{e.name}": "passed" for e in exercises.unit(name).exercises
    }
    assert all(c.points == c.max_points for c in solved.cells if c.how != "by hand"), [
        c for c in solved.cells if c.points != c.max_points
    ]
    assert solved.limits == ()
    assert untouched.score == 0
    assert {c.status for c in untouched.cells if c.exercise} == {"not started"}
    outputs = json.loads((course.autograded / "solved" / name / f"{name}.ipynb").read_text())[
        "cells"
    ]
    assert not [o for c in outputs for o in c.get("outputs", []) if o["output_type"] == "error"]
