"""Assignments under "Run all": one that nobody has touched runs to its end, and one that is solved
ends in something to look at."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from autograder.course import SOURCE_TREE

HERE = Path(__file__).parent
NAMES = sorted(path.parent.name for path in SOURCE_TREE.glob("assignments/*/*.ipynb"))
PUT_TOGETHER = [name for name in NAMES if name[:2] != "11"]
NOT_YET = "It runs once these checks are green: "


def run_all(path: Path) -> dict[str, Any]:
    environment = {**os.environ, "COURSE_FAST": "1", "OMP_NUM_THREADS": "1"}
    environment.pop("COURSE_SEED", None)
    done = subprocess.run(
        [sys.executable, HERE / "run_all.py", path],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        cwd=path.parent,
    )
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_assignment_runs_to_its_end(name: str) -> None:
    path = SOURCE_TREE / "assignments" / name / f"{name}.ipynb"
    report = run_all(path)
    assert report["failed"] == []
    if name in PUT_TOGETHER:
        assert report["printed"].count(NOT_YET) == path.read_text().count("if ready(") >= 1


@pytest.mark.slow
@pytest.mark.parametrize("name", PUT_TOGETHER)
def test_a_solved_assignment_puts_its_parts_together(name: str) -> None:
    report = run_all(SOURCE_TREE / "solutions" / name / f"{name}.ipynb")
    assert report["failed"] == []
    assert NOT_YET not in report["printed"]
