"""This engine and stock nbgrader give the same score for every graded cell of an honest class."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.grading import run
from autograder.release import new_course, release
from autograder.scores import cell_scores
from autograder.simulate import simulate

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]
UNIT = "01_nadaraya_watson"
SEED = "equality"
STUDENTS = int(os.environ.get("EQUALITY_STUDENTS", "40"))


def stock(course: Course) -> "subprocess.Popen[bytes]":
    """`nbgrader autograde UNIT` over the whole class, as its users run it."""
    environment = os.environ | {
        "COURSE_SEED": SEED,
        "PYTHONWARNINGS": "ignore",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    command = [sys.executable, "-m", "nbgrader", "autograde", UNIT, "--create"]
    return subprocess.Popen(command, cwd=course.root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def half(course: Course, root: Path, remainder: int) -> Course:
    """Every second student, in a course of their own: two runs of nbgrader use two cores."""
    shutil.copytree(course.root, root)
    for number, student in enumerate(course.students(UNIT)):
        if number % 2 != remainder:
            shutil.rmtree(root / "submitted" / student)
    return Course(root)


def test_the_same_scores(tmp_path: Path) -> None:
    course = new_course(tmp_path / "course")
    release(course, UNIT)
    made = simulate(course, UNIT, STUDENTS, seed=5, accidents=False)
    assert STUDENTS < 40 or {"untouched", "perfect", "late", "honest"} <= {each.kind for each in made}
    halves = [half(course, tmp_path / f"half{remainder}", remainder) for remainder in (0, 1)]
    for process in [stock(each) for each in halves]:
        _, error = process.communicate(timeout=3600)
        assert process.returncode == 0, error[-2000:]
    expected = cell_scores(halves[0], UNIT) | cell_scores(halves[1], UNIT)
    summary = run.grade(course, UNIT, seed=SEED)
    assert summary.problems == []
    got = cell_scores(course, UNIT)
    assert set(got) == set(expected) == {each.student for each in made}
    different = {
        (student, cell): (points, got[student][cell])
        for student, cells in expected.items()
        for cell, points in cells.items()
        if points != got[student][cell]
    }
    assert different == {}
    assert len({sum(points or 0 for points in cells.values()) for cells in got.values()}) > min(5, STUDENTS // 3), (
        "a class of one kind proves nothing"
    )
