"""Makes docs/examples: feedback pages and the report of a simulated class, by the commands that an instructor runs."""

import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.course import SOURCE_TREE, Course
from autograder.grading import results
from autograder.release import new_course

UNIT = "03_masking"
STUDENTS = 30
FOLDER = SOURCE_TREE / "docs" / "examples"
TITLE = "A simulated course with invented students"


def main() -> None:
    """Release, simulate, grade, pick four students whose pages show something, and copy their pages with the report."""
    with tempfile.TemporaryDirectory(prefix="example-") as folder:
        course = new_course(Path(folder) / "course")
        settle(course.root / "course.toml")
        autograder(course, "release", UNIT)
        autograder(course, "simulate", UNIT, "--students", STUDENTS)
        autograder(course, "grade", UNIT, "--json", fine=(0, 1))  # 1: somebody's submission needs a person, as in any class
        for student in worth_showing(course):
            autograder(course, "feedback", UNIT, "--student", student)
        autograder(course, "report")
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(course.root / "pages", FOLDER)
    for path in sorted(FOLDER.rglob("*.html")):
        print(f"{path.relative_to(SOURCE_TREE)}: {path.stat().st_size / 1000:.0f} kB")


def settle(path: Path) -> None:
    """The pages say that the course is simulated; it was due three days ago, so that some are late."""
    text = re.sub(r"^title = .*$", f'title = "{TITLE}"', path.read_text(encoding="utf-8"), flags=re.M)
    due = (datetime.now(UTC) - timedelta(days=3)).isoformat(timespec="seconds")
    path.write_text(re.sub(r"^\[due\].*$", f'[due]\n"{UNIT}" = {due}', text, flags=re.M), encoding="utf-8")


def autograder(course: Course, *arguments: object, fine: tuple[int, ...] = (0,)) -> None:
    command = [sys.executable, "-m", "autograder.cli", "--course", str(course.root), *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in fine:
        sys.exit(f"autograder {' '.join(map(str, arguments))} failed (exit code {done.returncode})")


def worth_showing(course: Course) -> list[str]:
    """Three students with about three misconceptions each, no two the same and most of them with pictures, and the best one."""
    found = [results.read(course.root, UNIT, student) for student in course.students(UNIT)]
    graded = [result for result in found if result is not None]
    slugs = {result.student: {cell.misconception for cell in result.cells if cell.misconception} for result in graded}
    pictures = {result.student: sum("<svg" in cell.html for cell in result.cells) for result in graded}
    chosen: list[str] = []
    for student in sorted(slugs, key=lambda student: (abs(len(slugs[student]) - 3), -pictures[student])):
        if len(chosen) < 3 and not any(slugs[student] & slugs[other] for other in chosen):
            chosen.append(student)
    return [*chosen, max(graded, key=lambda result: result.score).student]


if __name__ == "__main__":
    main()
