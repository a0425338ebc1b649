"""Makes docs/examples, feedback pages and the report of a simulated class, by the commands that an
instructor runs; prints what is shown.

`python -m tools.measure example` runs this and writes docs/examples.md anew.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from autograder.authoring.release import new_course
from autograder.course import SOURCE_TREE, Course
from autograder.grading import results
from autograder.grading.results import Result

UNIT = "03_masking"
STUDENTS = 30
FOLDER = SOURCE_TREE / "docs" / "examples"
TITLE = "A simulated course with invented students"


def main() -> dict[str, Any]:
    """Release, simulate, grade, pick four students whose pages show something, and copy the pages
    of the class with the report.
    """
    with tempfile.TemporaryDirectory(prefix="example-") as folder:
        course = new_course(Path(folder) / "course")
        settle(course.root / "course.toml")
        autograder(course, "release", UNIT)
        autograder(course, "simulate", UNIT, "--students", STUDENTS)
        autograder(
            course, "grade", UNIT, "--json", fine=(0, 1)
        )  # 1: somebody's submission needs a person, as in any class
        chosen = worth_showing(course)
        autograder(course, "feedback", UNIT)
        autograder(course, "report")
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(course.root / "pages", FOLDER)
    return {"unit": UNIT, "students": STUDENTS, "shown": [about(result) for result in chosen]}


def about(result: Result) -> dict[str, Any]:
    named = [cell.title for cell in result.cells if cell.misconception]
    return {
        "page": f"{UNIT}/{result.student}.html",
        "student": result.student,
        "points": result.score,
        "of": result.max_score,
        "named": named,
    }


def settle(path: Path) -> None:
    """The pages say that the course is simulated; it was due three days ago: some are late."""
    text = re.sub(
        r"^title = .*$", f'title = "{TITLE}"', path.read_text(encoding="utf-8"), flags=re.M
    )
    due = (datetime.now(UTC) - timedelta(days=3)).isoformat(timespec="seconds")
    path.write_text(
        re.sub(r"^\[due\].*$", f'[due]\n"{UNIT}" = {due}', text, flags=re.M), encoding="utf-8"
    )


def autograder(course: Course, *arguments: object, fine: tuple[int, ...] = (0,)) -> None:
    command = [
        sys.executable,
        "-m",
        "autograder.cli",
        "--course",
        str(course.root),
        *map(str, arguments),
    ]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in fine:
        sys.exit(f"autograder {' '.join(map(str, arguments))} failed (exit code {done.returncode})")


def worth_showing(course: Course) -> list[Result]:
    """Three students with about three misconceptions each, no two the same and most of them with
    pictures, and the best one.
    """
    found = [results.read(course.root, UNIT, student) for student in course.students(UNIT)]
    graded = [result for result in found if result is not None]
    chosen: list[Result] = []
    for result in sorted(
        graded, key=lambda result: (abs(len(slugs(result)) - 3), -pictures(result))
    ):
        if len(chosen) < 3 and not any(slugs(result) & slugs(other) for other in chosen):
            chosen.append(result)
    return [*chosen, max(graded, key=lambda result: result.score)]


def slugs(result: Result) -> set[str]:
    return {cell.misconception for cell in result.cells if cell.misconception}


def pictures(result: Result) -> int:
    return sum("<svg" in cell.html for cell in result.cells)


if __name__ == "__main__":
    print(json.dumps(main()))
