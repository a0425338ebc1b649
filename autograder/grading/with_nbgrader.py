"""Grading with nbgrader's own autograde, one call per student.

Slow and without walls, but the reference for every score.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from autograder import outside
from autograder.course import Course
from autograder.grading.results import RunSummary
from autograder.grading.run import chosen_students

THROWAWAY_SEED = (
    "stock"  # stock nbgrader checks inside the student's kernel, where no secret is safe
)


def grade(
    course: Course,
    unit: str,
    student: str | None = None,
    force: bool = False,
    advance: Callable[[], None] = lambda: None,
) -> RunSummary:
    """Grade a unit with stock nbgrader.

    A broken submission is one line in the summary, never the end of the run.
    """
    release = None if course.foreign else course.released(unit)
    students = chosen_students(course, unit, student)
    from autograder.gradebook import open_gradebook

    open_gradebook(course).close()  # whatever is wrong with it is said once, not for each student
    summary, began = RunSummary(unit), time.perf_counter()
    for each in students:
        if not force and any(course.graded(each, unit).glob("*.ipynb")):
            summary.skipped += 1
        else:
            reason, warning = (None, "") if release is None else looked_at(course, unit, each)
            reason = reason or call(course, unit, each)
            if reason is None:
                summary.graded += 1
            if reason or warning:
                said = outside.line("; ".join(filter(None, (warning, reason))))
                summary.problems.append({"student": outside.line(each, 250), "reason": said})
        advance()
    summary.seconds = round(time.perf_counter() - began, 1)
    return summary


def looked_at(course: Course, unit: str, student: str) -> tuple[str | None, str]:
    """Why a submission of our own units cannot be graded, and what is odd about it."""
    path = course.submission(student, unit) / f"{unit}.ipynb"
    try:
        reason = unreadable(path.parent, unit)
        return reason, "" if reason else tampered(path, course.released(unit))
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return "the file cannot be read as a notebook", ""


def call(course: Course, unit: str, student: str) -> str | None:
    """`nbgrader autograde UNIT --student STUDENT`; the reason if it fails."""
    limits = course.settings.limits
    command = [
        sys.executable,
        "-m",
        "nbgrader",
        "autograde",
        unit,
        "--student",
        student,
        "--force",
        "--create",
    ]
    environment = {"COURSE_SEED": THROWAWAY_SEED, **os.environ, "PYTHONWARNINGS": "ignore"}
    try:
        done = subprocess.run(
            command,
            cwd=course.root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=limits.submission_seconds + 60,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {limits.submission_seconds + 60:g} s"
    log = done.stdout + done.stderr
    for mark, reason in REASONS.items():
        if mark in log:
            return reason
    if done.returncode != 0:
        lines = [line for line in log.splitlines() if "ERROR" in line or "Error" in line]
        return f"nbgrader gave up: {(lines or log.splitlines() or ['no reason given'])[-1][:200]}"
    return None


REASONS = {
    "DeadKernelError": "the kernel died while the notebook ran: does a cell call exit or use up "
    "the memory?",
    "Kernel died": "the kernel died while the notebook ran: does a cell call exit or use up the "
    "memory?",
    "Timeout waiting for execute reply": "a cell ran into the time limit: is there an endless "
    "loop?",
    "CellTimeoutError": "a cell ran into the time limit: is there an endless loop?",
}


def unreadable(folder: Path, unit: str) -> str | None:
    """Why there is nothing to grade, or None."""
    path = folder / f"{unit}.ipynb"
    if not path.is_file():
        others = sorted(p.name for p in folder.glob("*.ipynb"))
        return (
            f"the notebook is called {others[0]!r} instead of {path.name!r}: rename it"
            if others
            else f"there is no notebook {path.name!r}"
        )
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells = notebook["cells"]
        if not all(isinstance(cell["metadata"], dict) and "source" in cell for cell in cells):
            raise KeyError("source")
    except (ValueError, OSError):
        return "the file is not JSON: it was cut off or is not a notebook"
    except (KeyError, TypeError):
        return "the file is JSON, but not a notebook"
    return None


def tampered(path: Path, release: Path) -> str:
    """What is missing or double among the test cells, compared with the release."""

    def tests(notebook: Path) -> Counter[str]:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        metas = [cell["metadata"].get("nbgrader") or {} for cell in cells]
        return Counter(str(meta.get("grade_id")) for meta in metas if meta.get("grade"))

    there, wanted = tests(path), tests(release)
    missing = sorted(set(wanted) - set(there))
    double = sorted(name for name, count in there.items() if count > 1)
    parts = [f"the test cell {name} was deleted" for name in missing] + [
        f"the test cell {name} is there twice" for name in double
    ]
    return ", ".join(parts)
