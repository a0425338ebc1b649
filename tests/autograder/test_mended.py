"""An exercise turns out to be wrong, from the mistake to the students' pages: it is mended, only
whom it concerns is graded again, and nobody loses points unless somebody says so."""

import csv
import re
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.grading import results
from autograder.points.finals import finals
from tests.autograder.checkout import Checkout

UNIT = "03_masking"
RIGHT = "def causal_mask(length):\n    return torch.ones(length, length).tril() > 0"
STRICT = "def causal_mask(length):\n    return torch.ones(length, length).tril(-1) > 0"
WRONG = "def causal_mask(length):\n    return torch.ones(length, length) > 0"
ANSWERS = {"ann": RIGHT, "bob": STRICT, "cem": WRONG}


def points(course: Course) -> dict[str, float]:
    return {student: final.score for student, final in finals(course, UNIT).items()}


def section(page: Path, name: str) -> str:
    """What a page of the class says under an anchor, up to the next heading."""
    return page.read_text().partition(f'id="{name}"')[2].partition("<h3")[0]


@pytest.mark.long
@pytest.mark.sandbox
def test_a_mended_exercise_from_end_to_end(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path / "course")
    path, course = checkout.exercise(UNIT, "causal_mask"), checkout.course
    good = path.read_text()
    bad = good.replace("=ref.causal_mask,", "=lambda length: ref.causal_mask(length).tril(-1),")
    assert bad != good
    path.write_text(bad)
    checkout.run("release", "03")
    for student, source in ANSWERS.items():
        checkout.hand_in(UNIT, student, {"causal_mask": source})
    checkout.hand_in(UNIT, "dan", {})  # has not begun it
    checkout.run("grade", "03")
    assert points(course) == {"ann": 0.0, "bob": 2.0, "cem": 0.0, "dan": 0.0}
    dan = results.path_of(course.root, UNIT, "dan").read_bytes()

    path.write_text(good)
    said = checkout.run("grade", "03", "--changed")
    assert "changed: causal_mask; 3 students have begun it" in said
    assert "ann: final points changed from 0 to 2" in said
    assert "bob: final points stay 2" in said
    assert "cem:" not in said
    assert f"report.html#changes-{UNIT}" in said
    assert points(course) == {"ann": 2.0, "bob": 2.0, "cem": 0.0, "dan": 0.0}, "nobody loses"
    assert results.path_of(course.root, UNIT, "dan").read_bytes() == dan, "it does not concern dan"

    pages = course.root / "pages"
    listed = section(pages / "report.html", f"changes-{UNIT}")
    assert re.findall(rf'href="{UNIT}/(\w+)\.html"', listed) == ["ann", "bob"]
    assert "Causal mask from 0 to 2" in listed
    assert "Causal mask stays 2, though it would be 0 now" in listed
    assert "your final points changed from 0 to 2" in (pages / UNIT / "ann.html").read_text()
    assert "the grader alone would give 0" in (pages / UNIT / "bob.html").read_text()
    for student in ("cem", "dan"):
        assert "final points" not in (pages / UNIT / f"{student}.html").read_text()
    with (course.root / "runs" / "changes" / f"{UNIT}.csv").open() as table:
        rows = {row["student"]: (row["before"], row["after"]) for row in csv.DictReader(table)}
    assert rows == {"ann": ("0.0", "2.0"), "bob": ("2.0", "2.0")}
    assert "no exercise of 03_masking has changed" in checkout.run(
        "grade", "03", "--changed", fine=(2,)
    )

    said = checkout.run("grade", "03", "--force", "--may-lower")
    assert "bob: final points changed from 2 to 0" in said
    assert points(course) == {"ann": 2.0, "bob": 0.0, "cem": 0.0, "dan": 0.0}, "as was said"
    assert "your final points changed from 2 to 0" in (pages / UNIT / "bob.html").read_text()
