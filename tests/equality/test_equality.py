"""This engine and stock nbgrader give the same score for every graded cell of a class of 40
honest submissions.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.authoring.release import release
from autograder.authoring.simulate import simulate
from autograder.course import Course
from autograder.grading import run
from autograder.points.scores import cell_scores, scores
from autograder.sandbox.proof import highest

UNIT = "01_nadaraya_watson"
SEED = "a throwaway seed, known to both"


def stock(course: Course) -> "subprocess.Popen[str]":
    """The plain command over a whole class, as its users run it."""
    environment = {
        **os.environ,
        "COURSE_SEED": SEED,
        "PYTHONWARNINGS": "ignore",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "nbgrader", "autograde", UNIT, "--create"]
    return subprocess.Popen(
        command,
        cwd=course.root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.slow
def test_the_scores_are_the_same(
    course: Course, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    settings = course.root / "course.toml"
    due = f"\n[due]\n{UNIT} = 2026-03-01T23:59:00+01:00\n"  # past, so that some are late
    settings.write_text(re.sub(r"^\[due\].*$", "", settings.read_text(), flags=re.M) + due)
    course = Course(course.root)
    release(course, UNIT)
    made = simulate(course, UNIT, 40, seed=5, accidents=False)
    assert {"untouched", "perfect", "late", "honest"} == {each.kind for each in made}
    halves = []
    for number in range(2):  # stock nbgrader uses one core: two classes of 20, side by side
        half = tmp_path / f"half{number}"
        shutil.copytree(course.root, half)
        for folder in sorted((half / "submitted").iterdir())[number::2]:
            shutil.rmtree(folder)
        halves.append(Course(half))
    processes = [stock(half) for half in halves]
    logs = [process.communicate(timeout=1500)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], logs
    theirs = cell_scores(halves[0], UNIT) | cell_scores(halves[1], UNIT)
    late = {row.student: row.late_seconds for half in halves for row in scores(half, UNIT)}

    proof, _ = highest()
    summary = run.grade(course, UNIT, min_level=proof.level if proof is not None else 0, seed=SEED)
    ours = cell_scores(course, UNIT)
    assert summary.graded == 40
    assert len(theirs) == 40
    assert ours == theirs
    assert {row.student: row.late_seconds for row in scores(course, UNIT)} == late
    totals = [sum(v or 0 for v in row.values()) for row in ours.values()]
    assert len(set(totals)) > 10, "a class in which everybody has the same score would prove little"
    record_property("submissions", len(ours))
    record_property("cells", sum(len(row) for row in ours.values()))
    record_property("totals", len(set(totals)))
