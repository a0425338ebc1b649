"""A run with nothing new to grade starts no warm process and does not import torch."""

import subprocess
import sys
from pathlib import Path

from autograder.course import Course
from autograder.grading import run
from tests.autograder import classroom
from tests.autograder.classroom import UNIT

PROGRAM = """
import sys
from autograder.cli import main
from autograder.sandbox import warm

warm.start_early = warm.take = lambda *a, **k: print("started a warm process")
try:
    main(sys.argv[1:], standalone_mode=False)
finally:
    print("torch" in sys.modules)
"""


def again(course: Course) -> str:
    command = [sys.executable, "-c", PROGRAM, "--course", str(course.root), "grade", UNIT]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout


def test_nothing_new_needs_neither_torch_nor_a_warm_process(tmp_path: Path, autograder) -> None:  # type: ignore[no-untyped-def]
    course = classroom.make(tmp_path / "course")
    classroom.hand_in(course, "ada", classroom.notebook(course, classroom.answers()))
    assert run.likely(course, UNIT)
    code, _, said = autograder("--course", course.root, "grade", UNIT, "--workers", 1)
    assert code == 0, said
    assert not run.likely(course, UNIT)
    said = again(course)
    assert "0 graded, 1 unchanged" in said
    assert "started a warm process" not in said
    assert said.rstrip().endswith("False")
    classroom.hand_in(course, "ada", classroom.notebook(course, {}))
    assert run.likely(course, UNIT)
    assert "started a warm process" in again(course)
