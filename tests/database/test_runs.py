"""Whole runs as processes, on a database that has other guests or goes away.

What they leave is what an undisturbed run leaves.
"""

import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.grading import results
from tests.database.conftest import BROKEN, ONE, TWO, UNITS, stored
from tests.database.content import content
from tests.database.server import Server

pytestmark = [pytest.mark.postgres, pytest.mark.sandbox]
Shell = Callable[..., "subprocess.Popen[str]"]


def ended(process: "subprocess.Popen[str]", code: int) -> str:
    out, err = process.communicate(timeout=900)
    assert process.returncode == code, out + err
    assert "Traceback" not in err
    return out + err


def listening(process: "subprocess.Popen[str]") -> tuple[list[str], threading.Thread]:
    """What a process says on standard error, line by line, as long as it lives."""
    lines: list[str] = []

    def read() -> None:
        for line in process.stderr or ():
            lines.append(line)

    thread = threading.Thread(target=read)
    thread.start()
    return lines, thread


def results_of(course: Course, unit: str) -> dict[str, float]:
    """Student -> score on disk."""
    names = [path.stem for path in (course.root / "runs" / "results" / unit).glob("*.json")]
    found = {name: results.read(course.root, unit, name) for name in names}
    return {name: result.score for name, result in found.items() if result is not None}


def check(course: Course, graded: Course, *units: str) -> None:
    """Each submission has exactly one result, and the gradebook is that of the undisturbed run."""
    for unit in units:
        assert results_of(course, unit) == {
            result.student: result.score for result in stored(graded, unit)
        }
        assert BROKEN not in results_of(course, unit)
    here, there = content(course), content(graded)
    if units != UNITS:
        about = ("submitted_assignment", "submitted_notebook", "grade", "comment")
        here, there = (
            {table: [row for row in rows[table] if row["id"].startswith(units)] for table in about}
            for rows in (here, there)
        )
    assert here == there


def wait_for_results(
    course: Course, unit: str, count: int, process: "subprocess.Popen[str]"
) -> None:
    folder: Path = course.root / "runs" / "results" / unit
    while len(list(folder.glob("*.json"))) < count:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def test_two_graders_on_two_units_at_once(course: Course, graded: Course, shell: Shell) -> None:
    both = [shell(course, "grade", unit, "--workers", "1", "--json") for unit in (ONE, TWO)]
    for process in both:
        assert "need a person" not in ended(process, 1)
    check(course, graded, *UNITS)
    assert len(list((course.root / "backups").glob("gradebook-*"))) == 2


def test_the_database_goes_away_in_the_middle_of_a_run_and_comes_back(
    server: Server, in_postgres: Course, graded: Course, shell: Shell
) -> None:
    process = shell(in_postgres, "grade", ONE, "--workers", "1")
    wait_for_results(in_postgres, ONE, 2, process)
    server.stop()
    lines, read = listening(process)
    while not any("waiting for it" in line for line in lines):
        assert process.poll() is None, lines
        time.sleep(0.02)
    server.start()
    assert process.wait(timeout=900) == 1
    read.join()
    said = "".join(lines)
    assert "Traceback" not in said
    assert said.count("waiting for it, up to 60 s") == 1
    assert said.count("the gradebook is back after") == 1
    check(in_postgres, graded, ONE)


def test_the_database_goes_away_for_good_and_the_same_command_goes_on(
    server: Server, in_postgres: Course, graded: Course, shell: Shell
) -> None:
    settings = in_postgres.root / "course.toml"
    settings.write_text(
        settings.read_text().replace("patience_seconds = 60", "patience_seconds = 2")
    )
    process = shell(in_postgres, "grade", ONE, "--workers", "1")
    wait_for_results(in_postgres, ONE, 3, process)
    server.crash()
    said = ended(process, 2)
    assert (
        f"Nothing is lost: results are in runs/results/{ONE}, and the same command goes on from "
        "there" in said
    )
    kept = {
        path.name: path.read_bytes()
        for path in (in_postgres.root / "runs" / "results" / ONE).glob("*.json")
    }
    assert 3 <= len(kept) < 10
    server.start()
    ended(shell(in_postgres, "grade", ONE, "--workers", "1"), 1)
    for name, text in kept.items():
        assert (in_postgres.root / "runs" / "results" / ONE / name).read_bytes() == text, (
            "what was graded is not graded again"
        )
    check(in_postgres, graded, ONE)


def test_the_connection_is_cut_after_each_result(
    server: Server, in_postgres: Course, graded: Course, shell: Shell
) -> None:
    process = shell(in_postgres, "grade", ONE, "--workers", "2")
    for count in range(1, 11):
        wait_for_results(in_postgres, ONE, count, process)
        server.cut()
    ended(process, 1)
    check(in_postgres, graded, ONE)
