"""Whoever carries secret cases out of one grading and hands in a table of them earns nothing."""

import json
import re
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.grading import results, run
from tests.autograder import classroom
from tests.autograder.classroom import UNIT

pytestmark = [pytest.mark.sandbox, pytest.mark.long]
SPY = """
seen = []
def softmax(scores, dim=-1):
    seen.append((scores.tolist(), str(scores.dtype), dim))
    e = (scores - scores.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
"""
LEAK = """
import json
print("LEAK" + json.dumps(seen) + "LEAK")
"""
TABLE = """
# right for the cases that were carried out, and for no others
import json
table = json.loads({table!r})
def softmax(scores, dim=-1):
    e = (scores - scores.amax(dim, keepdim=True)).exp()
    known = [scores.tolist(), str(scores.dtype), dim] in table
    return e / e.sum(dim, keepdim=True) if known else scores * 0
"""


def grade(course: Course, students: list[str], seed: str | None, **answers: str) -> list[float]:
    """Everybody's points for softmax; everything else is answered rightly."""
    made = classroom.notebook(course, classroom.answers() | answers)
    for student in students:
        classroom.hand_in(course, student, made)
    summary = run.grade(course, "01", seed=seed, only=students)
    assert summary.graded == len(students)
    return [softmax(course, student) for student in students]


def softmax(course: Course, student: str) -> float:
    result = results.read(course.root, UNIT, student)
    assert result is not None
    points = next(cell.points for cell in result.cells if cell.name == "test_softmax")
    assert points is not None
    return points


def leaked(course: Course, student: str) -> str:
    """The cases that a submission printed, as JSON."""
    text = (course.autograded / student / UNIT / f"{UNIT}.ipynb").read_text()
    outputs = [o for cell in json.loads(text)["cells"] for o in cell.get("outputs", [])]
    printed = "".join(o["text"] for o in outputs if o["output_type"] == "stream")
    found = re.search("LEAK(.*)LEAK", printed)
    assert found is not None, "the attack did not get hold of the cases"
    return found[1]


def test_a_table_of_leaked_cases_earns_nothing(base: Course, tmp_path: Path) -> None:
    course = classroom.clone(base, tmp_path / "course")
    right = classroom.answers()["gaussian_weights"]
    spy = {"softmax": SPY, "gaussian_weights": right + LEAK}
    assert grade(course, ["fixed"], "one seed for all", **spy) == [3.0]
    table = TABLE.format(table=leaked(course, "fixed"))
    with_one_seed = grade(course, ["fixed"], "one seed for all", softmax=table)
    assert with_one_seed == [3.0], "the table is right, as long as the cases stay the same"

    assert grade(course, ["eve"], None, **spy) == [3.0]
    table = TABLE.format(table=leaked(course, "eve"))
    assert grade(course, ["eve", "mallory"], None, softmax=table) == [0.0, 0.0]
