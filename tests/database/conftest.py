"""One server for all tests, and one class: units 01 and 02, graded undisturbed in SQLite, which is what everything is compared with."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograder.course import SOURCE_TREE, Course
from autograder.grading import run
from autograder.release import new_course, release
from autograder.simulate import simulate
from tests.conftest import need
from tests.database.server import Server, program, running

UNITS = ("01_nadaraya_watson", "02_dot_product_attention")
SETTINGS = """
[due]
"01_nadaraya_watson" = 2026-01-01T12:00:00Z
[late]
penalty_per_day = 0.1
"""
BROKEN = "zoe"  # handed in something that nobody can grade
SEED = "database tests"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    need(program("initdb") and shutil.which("setpriv"), "PostgreSQL's server (package postgresql)")
    with running() as one:
        yield one


@pytest.fixture
def own_server() -> Iterator[Server]:
    """A server that a test may stop."""
    need(program("initdb") and shutil.which("setpriv"), "PostgreSQL's server (package postgresql)")
    with running() as one:
        yield one


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Two units, released, handed in by the same students, and graded, in SQLite."""
    course = new_course(tmp_path_factory.mktemp("database") / "graded")
    (course.root / "course.toml").write_text(SETTINGS)
    for unit, students in zip(UNITS, (10, 5), strict=True):
        release(course, unit)
        simulate(course, unit, students, seed=1, accidents=False)
        (course.submitted / BROKEN / unit).mkdir(parents=True)
        (course.submitted / BROKEN / unit / f"{unit}.ipynb").write_text("no notebook")
        summary = run.grade(course, unit, seed=SEED)
        assert (summary.graded, len(summary.problems)) == (students, 1)
    return course


@dataclass(frozen=True)
class Classes:
    """Makes copies of the class, in whatever state and database a test needs."""

    graded: Course
    folder: Path

    def released(self, name: str, url: str | None) -> Course:
        """Released and handed in, nothing graded; `url` is the gradebook's, which knows nothing yet."""
        root = self.folder / name
        root.mkdir()
        for each in ("nbgrader_config.py", "solutions", "submitted"):
            source = self.graded.root / each
            shutil.copytree(source, root / each) if source.is_dir() else shutil.copy(source, root / each)
        given = f'[gradebook]\nurl = "{url}"\npatience_seconds = 60\n' if url else ""
        (root / "course.toml").write_text(given + SETTINGS)
        course = Course(root)
        for unit in UNITS:
            release(course, unit)
        return course

    def stored(self, course: Course) -> Course:
        """The same with results and executed notebooks on disk: a run has only to record them."""
        for each in ("runs/results", "autograded"):
            shutil.copytree(self.graded.root / each, course.root / each, dirs_exist_ok=True)
        return course


@pytest.fixture
def classes(graded: Course, tmp_path: Path) -> Classes:
    return Classes(graded, tmp_path)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Callable[..., "subprocess.Popen[str]"]:
    """Start a command of the command line as a process of its own."""

    def start(course: Course, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "autograder.cli", "--course", str(course.root), *arguments]
        environment = os.environ | {"PYTHONPATH": str(SOURCE_TREE), "COURSE_SEED": SEED, "COLUMNS": "200"} | variables
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start
