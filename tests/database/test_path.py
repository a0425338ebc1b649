"""From release to export with the gradebook in PostgreSQL: the same as in SQLite, row by row."""

import csv
import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import Course
from autograder.gradebook import Grade, opened
from autograder.grading import results
from autograder.points.finals import finals
from autograder.points.scores import cell_scores, scores
from tests.database.conftest import ONE, TWO, UNITS, handed_in, stored
from tests.database.content import content
from tests.database.server import PASSWORD, Server

pytestmark = [pytest.mark.postgres, pytest.mark.sandbox]


def rounded(row: Grade) -> Grade:
    """Each database adds up in an order of its own."""
    return dataclasses.replace(row, score=round(row.score, 9))


def by_hand(course: Course, student: str, cell: str, points: float, comment: str) -> None:
    with opened(course) as gradebook:
        grade = gradebook.find_grade(cell, ONE, ONE, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.find_comment(cell, ONE, ONE, student).manual_comment = comment
        gradebook.db.commit()


def test_the_whole_path_is_that_of_sqlite(
    server: Server, graded: Course, tmp_path: Path, autograder: Callable[..., tuple[int, str, str]]
) -> None:
    course = handed_in(graded, tmp_path / "course", server.database("path"))
    said = ""
    for unit in UNITS:
        code, out, err = autograder("--course", course.root, "release", unit)
        assert code == 0, err
        said += out + err
    for unit in UNITS:
        code, out, err = autograder("--course", course.root, "grade", unit)
        assert code == 1, err
        said += out + err
    assert content(course) == content(graded)
    for unit in UNITS:
        assert list(map(rounded, scores(course, unit))) == list(map(rounded, scores(graded, unit)))
    assert len(list((course.root / "backups").glob("*.sql"))) == 2

    late = [row for row in content(course)["submitted_notebook"] if row["late_submission_penalty"]]
    assert late, "somebody in the class is late"
    lines = {}
    for each in (course, graded):
        code, out, err = autograder("--course", each.root, "export", ONE, "--to", "csv")
        assert code == 0, err
        said += out + err
        lines[each] = list(csv.reader((each.root / "export" / ONE / "csv.csv").open()))
    assert lines[course] == lines[graded]
    for command in (["feedback", ONE], ["report"], ["report", "--json"]):
        code, out, err = autograder("--course", course.root, *command)
        assert code == 0, err
        said += out + err
    assert finals(course, ONE) == finals(graded, ONE)
    assert any(final.points.off for final in finals(course, ONE).values())

    student = late[0]["assignment_id"].rpartition(" / ")[2]
    result = results.read(course.root, ONE, student)
    assert result is not None
    written = next(cell.name for cell in result.cells if cell.how == "by hand")
    by_hand(course, student, written, 1.5, "good")
    before = content(course)
    code, out, err = autograder("--course", course.root, "grade", ONE, "--force")
    said += out + err
    after = content(course)
    changed = {
        (table, row["id"], key)
        for table, rows in after.items()
        for row, old in zip(rows, before[table], strict=True)
        for key in row
        if row[key] != old[key]
    }
    notebook = f"{ONE} / {student} / {ONE} / {ONE}"
    assert any(row["manual_score"] == 1.5 for row in after["grade"])
    assert changed == {("submitted_notebook", notebook, "late_submission_penalty")}, (
        "a manual score stays, stands, and counts in the penalty"
    )
    assert [row["manual_comment"] for row in after["comment"] if row["manual_comment"]] == ["good"]
    page = (course.root / "pages" / ONE / f"{student}.html").read_text()
    assert "good" in page
    assert PASSWORD not in said
    assert "%40" not in said


THIEF = "import os\nprint('the environment holds', sorted(os.environ))"


def test_the_address_may_come_from_the_environment_which_no_student_sees(
    graded: Course,
    in_postgres: Course,
    shell: Callable[..., "subprocess.Popen[str]"],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = in_postgres.gradebook_url.replace("+psycopg2", "")
    settings = in_postgres.root / "course.toml"
    settings.write_text(settings.read_text().replace(url, "sqlite:////nowhere/at/all.db"))
    path = in_postgres.submitted / "student001" / TWO / f"{TWO}.ipynb"
    notebook = json.loads(path.read_text())
    notebook["cells"].insert(
        1,
        {
            "cell_type": "code",
            "metadata": {},
            "source": THIEF,
            "outputs": [],
            "execution_count": None,
        },
    )
    path.write_text(json.dumps(notebook))
    grader = shell(in_postgres, "grade", TWO, COURSE_GRADEBOOK=url)
    out, err = grader.communicate(timeout=600)
    assert grader.returncode == 1, err
    shown = (in_postgres.autograded / "student001" / TWO / f"{TWO}.ipynb").read_text()
    assert "the environment holds [" in shown
    assert "COURSE_GRADEBOOK" not in shown
    for text in (
        out,
        err,
        shown,
        *(log.read_text() for log in (in_postgres.root / "runs" / "logs").iterdir()),
    ):
        assert PASSWORD not in text
        assert "%40ss" not in text
    expected = cell_scores(graded, TWO)
    monkeypatch.setenv("COURSE_GRADEBOOK", url)
    assert cell_scores(Course(in_postgres.root), TWO) == expected


def test_nbgraders_own_commands_use_the_same_database(
    graded: Course, in_postgres: Course, shell: Callable[..., "subprocess.Popen[str]"]
) -> None:
    student = stored(graded, ONE)[0].student
    grader = shell(
        in_postgres, "grade", ONE, "--engine", "nbgrader", "--student", student, "--json"
    )
    out, err = grader.communicate(timeout=600)
    assert grader.returncode == 0, err
    assert json.loads(out)["graded"] == 1
    for command, expected in ((["assignment", "list"], UNITS), (["student", "list"], [student])):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", "db", *command],
            cwd=in_postgres.root,
            capture_output=True,
            text=True,
            check=True,
        )
        assert all(name in done.stdout + done.stderr for name in expected)
        assert PASSWORD not in done.stdout + done.stderr
    assert set(cell_scores(in_postgres, ONE)) == {student}
