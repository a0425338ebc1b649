"""A run with nothing new to grade starts no warm process and does not import torch; where no file
has changed at all, not even the gradebook is opened."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.grading import run, unchanged
from autograder.grading.results import RunSummary
from tests.autograder import classroom
from tests.autograder.classroom import UNIT

pytestmark = pytest.mark.slow
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


def later(path: Path) -> None:
    """Somebody has saved this file again."""
    stat = path.stat()
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))


def graded_by_hand(course: Course) -> None:
    with closing(sqlite3.connect(course.root / "gradebook.db")) as book, book:
        book.execute("update grade set manual_score = 0 where auto_score > 0")


CHANGES: dict[str, Callable[[Course], object]] = {
    "the same file once more": lambda course: later(
        course.submission("ada", UNIT) / f"{UNIT}.ipynb"
    ),
    "a file beside it": lambda course: (course.submission("ada", UNIT) / "data.txt").touch(),
    "another student": lambda course: classroom.hand_in(course, "bob", b"no notebook"),
    "a setting": lambda course: later(course.root / "course.toml"),
    "points by hand": graded_by_hand,
    "a result": lambda course: later(course.root / "runs" / "results" / UNIT / "ada.json"),
    "the notebook as graded": lambda course: later(course.graded("ada", UNIT) / f"{UNIT}.ipynb"),
    "the page": lambda course: (course.root / "pages" / "report.html").unlink(),
    "what was kept": lambda course: (course.root / unchanged.OWN / f"{UNIT}.json").write_text("{"),
}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """A course that was graded, and then once more, with nothing to do."""
    from click.testing import CliRunner

    from autograder.cli import main

    course = classroom.make(tmp_path_factory.mktemp("done") / "course")
    classroom.hand_in(course, "ada", classroom.notebook(course, classroom.answers()))
    arguments = ["--course", str(course.root), "grade", UNIT, "--workers", "1"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    return course


def test_with_no_file_changed_the_same_is_said_again(done: Course, autograder) -> None:  # type: ignore[no-untyped-def]
    assert unchanged.last(done, UNIT) is not None
    _, short, _ = autograder("--course", done.root, "grade", UNIT)
    kept = done.root / unchanged.OWN / f"{UNIT}.json"
    kept.unlink()
    _, long, _ = autograder("--course", done.root, "grade", UNIT)
    assert kept.is_file(), "a run that read everything"
    words = [[line for line in text.splitlines() if " s" not in line] for text in (short, long)]
    assert words[0] == words[1]
    assert "0 graded, 1 unchanged, 0 need a person" in short
    assert any("ada" in line for line in words[0])
    loaded = "import sys; from autograder.cli import main\ntry: main(sys.argv[1:])\n"
    loaded += "finally: print({'torch', 'nbgrader', 'sqlalchemy'} & set(sys.modules))"
    command = [sys.executable, "-c", loaded, "--course", str(done.root), "grade", UNIT]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    assert said.rstrip().endswith("set()")


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_looked_at(done: Course, tmp_path: Path, change: str) -> None:
    copy = Course.find(shutil.copytree(done.root, tmp_path / "course"))
    assert unchanged.last(copy, UNIT) is not None, "times are copied"
    CHANGES[change](copy)
    assert unchanged.last(copy, UNIT) is None


def test_what_came_during_a_run_is_not_forgotten(done: Course, tmp_path: Path) -> None:
    copy = Course.find(shutil.copytree(done.root, tmp_path / "course"))
    kept = copy.root / unchanged.OWN / f"{UNIT}.json"
    kept.unlink()
    before = unchanged.look(copy)
    classroom.hand_in(copy, "bob", b"late")
    table: tuple[list[str], list[list[str]]] = ([], [])
    unchanged.keep(copy, before, unchanged.look(copy), RunSummary(UNIT), table)
    assert not kept.exists()
    given_up = RunSummary(UNIT, level=3, problems=[{"student": "bob", "reason": "lost"}])
    unchanged.keep(copy, unchanged.look(copy), unchanged.look(copy), given_up, table)
    assert not kept.exists(), "what was tried in vain is tried again"


@pytest.mark.parametrize("variable", ["COURSE_GRADEBOOK", "COURSE_SEED"])
def test_what_cannot_be_seen_is_read(
    done: Course, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setenv(variable, "sqlite:////elsewhere.db")
    assert unchanged.last(done, UNIT) is None


def test_no_name_and_no_depth_stops_it(done: Course, tmp_path: Path) -> None:
    copy = Course.find(shutil.copytree(done.root, tmp_path / "course"))
    folder = copy.submission("ada", UNIT)
    (folder / os.fsdecode(b"\xff\xfe\n")).write_bytes(b"")
    place = os.open(folder, os.O_RDONLY)
    for _ in range(2000):
        os.mkdir("deep", dir_fd=place)
        place, above = os.open("deep", os.O_RDONLY, dir_fd=place), place
        os.close(above)
    os.close(place)
    assert unchanged.look(copy) != unchanged.look(copy), "too deep to be seen: never the same"
    assert unchanged.last(copy, UNIT) is None
    subprocess.run(["rm", "-rf", str(folder)], check=True)
