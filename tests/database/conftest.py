"""One server for all tests, and one class.

Units 01 and 02, graded undisturbed in SQLite, which is what everything is compared with.
"""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.release import new_course, release
from autograder.authoring.simulate import simulate
from autograder.course import SOURCE_TREE, Course
from autograder.grading import results, run
from autograder.grading.record import Recorder
from autograder.grading.results import Result
from tests.conftest import need
from tests.database.server import Server, running
from tools.postgres import can_start

UNITS = ONE, TWO = "01_nadaraya_watson", "02_dot_product_attention"
SETTINGS = """
[due]
"01_nadaraya_watson" = 2026-01-01T12:00:00Z
[late]
penalty_per_day = 0.1
"""
BROKEN = "zoe"  # handed in something that nobody can grade
SEED = "database tests"


@pytest.fixture(autouse=True)
def _same_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_SEED", SEED)


@pytest.fixture(scope="session")
def _server() -> Iterator[Server]:
    need(can_start(), "PostgreSQL's server (package postgresql)")
    with running() as one:
        yield one


@pytest.fixture
def server(_server: Server) -> Iterator[Server]:
    """A test may stop it: the next one finds it running."""
    yield _server
    if _server.process is None:
        _server.start()


@pytest.fixture(scope="session")
def graded(shared: Callable[..., Path]) -> Course:
    """Two units, released, handed in by the same students, and graded, in SQLite."""
    return Course(shared("database", grade_undisturbed).resolve())


def grade_undisturbed(folder: Path) -> None:
    course = new_course(folder)
    (course.root / "course.toml").write_text(SETTINGS)
    for unit, students in zip(UNITS, (10, 5), strict=True):
        release(course, unit)
        simulate(course, unit, students, seed=1, accidents=False)
        (course.submitted / BROKEN / unit).mkdir(parents=True)
        (course.submitted / BROKEN / unit / f"{unit}.ipynb").write_text("no notebook")
        summary = run.grade(course, unit, seed=SEED)
        assert (summary.graded, len(summary.problems)) == (students, 1)


def handed_in(graded: Course, root: Path, url: str) -> Course:
    """The same class before anything was graded; `url` is the gradebook's."""
    shutil.copytree(
        graded.root,
        root,
        ignore=shutil.ignore_patterns(
            "runs", "autograded", "backups", "pages", "export", "gradebook.db"
        ),
    )
    (root / "course.toml").write_text(
        f'[gradebook]\nurl = "{url}"\npatience_seconds = 60\n{SETTINGS}'
    )
    return Course(root)


@pytest.fixture(scope="session")
def _template(_server: Server, graded: Course, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a PostgreSQL database in which the units are released."""
    course = handed_in(
        graded, tmp_path_factory.mktemp("template") / "course", _server.database("template")
    )
    for unit in UNITS:
        release(course, unit)
    return "template"


@pytest.fixture
def in_postgres(server: Server, _template: str, graded: Course, tmp_path: Path) -> Course:
    """The class, released and not graded, in PostgreSQL."""
    server.cut()
    return handed_in(graded, tmp_path / "postgres", server.database("copy", _template))


@pytest.fixture
def in_sqlite(graded: Course, tmp_path: Path) -> Course:
    """The same in SQLite."""
    course = handed_in(graded, tmp_path / "sqlite", f"sqlite:///{tmp_path}/sqlite/gradebook.db")
    shutil.copy(graded.root / "gradebook.db", course.root)
    with contextlib.closing(sqlite3.connect(course.root / "gradebook.db")) as gradebook:
        for table in ("grade", "comment", "submitted_notebook", "submitted_assignment", "student"):
            gradebook.execute(f"DELETE FROM {table}")
        gradebook.commit()
    return course


@pytest.fixture(params=["postgres", "sqlite"])
def course(request: pytest.FixtureRequest) -> Any:
    """The class, released and not graded, in one database and in the other."""
    return request.getfixturevalue(f"in_{request.param}")


def stored(graded: Course, unit: str) -> list[Result]:
    found = [results.read(graded.root, unit, student) for student in graded.students(unit)]
    return [result for result in found if result is not None]


def record_all(course: Course, graded: Course, *units: str) -> None:
    """What a run does with the results that it finds on disk."""
    for unit in units:
        with Recorder(course, unit) as recorder:
            for result in stored(graded, unit):
                recorder.record(result)


@pytest.fixture
def shell() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Starts `autograder …` as a process of its own, which does not outlive the test."""
    started: list[subprocess.Popen[str]] = []

    def start(course: Course, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", "autograder.cli", "--course", str(course.root), *arguments]
        environment = os.environ | {"PYTHONPATH": str(SOURCE_TREE), "COLUMNS": "200"} | variables
        started.append(
            subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
