"""A class that is graded undisturbed once, and copies of it for all that can go wrong."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.release import new_course, release
from autograder.authoring.simulate import simulate
from autograder.course import SOURCE_TREE, Course
from autograder.grading import run
from tests.database.content import content
from tests.faults.machines import Machines

UNIT = "01_nadaraya_watson"
SEED = "fault tests"
STUDENTS = 8
BROKEN = "zoe"  # handed in something that nobody can grade
INJECTION = Path(__file__).parent / "injection"


@pytest.fixture(scope="session")
def released(shared: Callable[..., Path]) -> Course:
    """Released and handed in, nothing graded."""
    return Course(shared("faults", hand_in).resolve())


def hand_in(folder: Path) -> None:
    """Times are limited so that what hangs does not hang for long."""
    course = new_course(folder)
    (course.root / "course.toml").write_text("[limits]\nsubmission_seconds = 20\n")
    release(course, UNIT)
    simulate(course, UNIT, STUDENTS, seed=3, accidents=False)
    (course.submitted / BROKEN / UNIT).mkdir(parents=True)
    (course.submitted / BROKEN / UNIT / f"{UNIT}.ipynb").write_text("no notebook")


def copy(course: Course, root: Path) -> Course:
    shutil.copytree(course.root, root)
    return Course(root)


@pytest.fixture(scope="session")
def undisturbed(released: Course, shared: Callable[..., Path]) -> Course:
    def grade(folder: Path) -> None:
        summary = run.grade(copy(released, folder), "01", seed=SEED)
        graded = summary.graded, [each["student"] for each in summary.problems]
        assert graded == (STUDENTS, [BROKEN])

    return Course(shared("undisturbed", grade).resolve())


@pytest.fixture
def course(released: Course, tmp_path: Path) -> Course:
    return copy(released, tmp_path / "course")


@pytest.fixture
def nothing_lost(undisturbed: Course) -> Callable[..., None]:
    """Every submission has exactly one result or a stated reason, and the gradebook equals that
    of the undisturbed run.
    """

    def check(
        course: Course, problems: list[dict[str, str]], given_up: tuple[str, ...] = ()
    ) -> None:
        assert {each["student"] for each in problems} == {BROKEN, *given_up}
        stored = {path.stem for path in (course.root / "runs" / "results" / UNIT).glob("*")}
        assert stored == set(course.students(UNIT)) - {BROKEN, *given_up}
        assert content(course) == without(content(undisturbed), given_up)

    return check


def without(
    tables: dict[str, list[dict[str, Any]]], students: tuple[str, ...]
) -> dict[str, list[dict[str, Any]]]:
    """A gradebook's content without some students."""
    return {
        table: [
            row
            for row in rows
            if not any(
                f"/ {student}" in str(row["id"]) or row["id"] == student for student in students
            )
        ]
        for table, rows in tables.items()
    }


@pytest.fixture
def start() -> Callable[..., "subprocess.Popen[str]"]:
    """Start a command of the command line as a process of its own."""

    def start(course: Course, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "autograder.cli", "--course", str(course.root), *arguments]
        return subprocess.Popen(
            command,
            env=environment(**variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def environment(**variables: str) -> dict[str, str]:
    return (
        os.environ | {"PYTHONPATH": f"{INJECTION}:{SOURCE_TREE}", "COURSE_SEED": SEED} | variables
    )


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made by the script that an instructor uses."""
    folder = tmp_path_factory.mktemp("cluster") / "keys"
    subprocess.run(
        [SOURCE_TREE / "cluster" / "certificates.sh", folder], check=True, capture_output=True
    )
    return folder


@pytest.fixture
def machines(keys: Path, tmp_path: Path) -> Iterator[Machines]:
    with Machines(keys, tmp_path, environment()) as started:
        yield started
