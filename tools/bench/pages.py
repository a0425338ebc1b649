"""Feedback pages against nbgrader's own, on the same graded class, in one run: `python -m
tools.bench.pages [STUDENTS] [--json]`.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from autograder.authoring.release import new_course, release
from autograder.authoring.simulate import simulate
from autograder.course import Course
from autograder.grading import run
from autograder.pages import feedback, report
from autograder.sandbox.proof import highest

UNIT = "01_nadaraya_watson"


def measure(students: int) -> dict[str, float]:
    """Seconds for the pages of a class, theirs and ours, and for the report on it with its size."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        course = new_course(Path(folder) / "course")
        release(course, UNIT)
        simulate(course, UNIT, students, accidents=False)
        proof, _ = highest()
        run.grade(course, UNIT, min_level=proof.level if proof is not None else 0)
        theirs = nbgrader_seconds(course)
        began = time.perf_counter()
        pages = feedback.build(course, UNIT)
        ours = time.perf_counter() - began
        began = time.perf_counter()
        size = report.build(course).stat().st_size
        seconds = time.perf_counter() - began
    return {
        "pages": len(pages),
        "nbgrader_seconds": round(theirs, 2),
        "seconds": round(ours, 2),
        "report_seconds": round(seconds, 2),
        "report_kb": round(size / 1000),
    }


def main(arguments: list[str]) -> None:
    students = next((int(argument) for argument in arguments if argument.isdigit()), 100)
    found = measure(students)
    if "--json" in arguments:
        print(json.dumps(found))
        return
    theirs, ours = found["nbgrader_seconds"], found["seconds"]
    print(
        f"feedback for {found['pages']} submissions: nbgrader {theirs:.1f} s "
        f"({1000 * theirs / students:.0f} ms each), ",
        end="",
    )
    print(
        f"these pages {ours:.1f} s ({1000 * ours / students:.0f} ms each), {theirs / ours:.0f} "
        "times faster"
    )
    print(
        f"report on {students} students: {found['report_seconds']:.1f} s, "
        f"{found['report_kb']:.0f} kB"
    )


def nbgrader_seconds(course: Course) -> float:
    """`nbgrader generate_feedback UNIT`, as its users run it."""
    command = [sys.executable, "-m", "nbgrader", "generate_feedback", UNIT]
    began = time.perf_counter()
    subprocess.run(command, cwd=course.root, check=True, capture_output=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    main(sys.argv[1:])
