"""Release, simulated classes, and grading with stock nbgrader."""

import json
import sqlite3
from pathlib import Path

import pytest

from autograder import gradebook
from autograder.authoring.release import release
from autograder.authoring.simulate import ACCIDENTS, simulate
from autograder.course import Course
from autograder.errors import UserError
from autograder.grading import with_nbgrader as stock
from autograder.points.scores import cell_scores, scores

pytestmark = pytest.mark.slow

UNIT = "01_nadaraya_watson"


def test_a_release_that_fails_leaves_the_old_one(course: Course) -> None:
    path = release(course, UNIT)
    before = path.read_bytes()
    source = course.solutions / UNIT / f"{UNIT}.ipynb"
    notebook = json.loads(source.read_text())
    notebook["cells"].append(
        notebook["cells"][-1]
        | {
            "id": "extra",
            "cell_type": "code",
            "source": "### BEGIN SOLUTION\n1",
            "outputs": [],
            "execution_count": None,
            "metadata": {},
        }
    )
    source.write_text(json.dumps(notebook))
    with pytest.raises(UserError):
        release(course, UNIT)
    assert path.read_bytes() == before
    assert not list(course.root.glob(".release-*"))


def schema(database: Path) -> list[tuple[str, ...]]:
    with sqlite3.connect(database) as connection:
        tables = connection.execute("SELECT name, sql FROM sqlite_master ORDER BY name").fetchall()
        return tables + connection.execute("SELECT * FROM alembic_version").fetchall()


def test_a_new_gradebook_is_the_one_that_nbgrader_makes(course: Course, tmp_path: Path) -> None:
    from nbgrader.api import Gradebook

    gradebook.open_gradebook(course).close()
    stock_made = tmp_path / "stock.db"
    Gradebook(f"sqlite:///{stock_made}").close()
    made = schema(course.root / "gradebook.db")
    assert made == schema(stock_made)
    assert len(made) > 10


def test_a_unit_can_be_released_again_after_submissions(course: Course) -> None:
    release(course, UNIT)
    simulate(course, UNIT, 2)
    stock.grade(course, UNIT, student="student001")
    path = release(course, UNIT)
    assert path.is_file()
    assert scores(course, UNIT)[0].student == "student001"


def test_due_dates_reach_the_gradebook(course: Course) -> None:
    toml = course.root / "course.toml"
    toml.write_text(
        toml.read_text() + f'\n[due]\n"{UNIT}" = 2027-03-01T23:59:00+01:00\n'
        if "[due]" not in toml.read_text()
        else toml.read_text().replace("[due]", f'[due]\n"{UNIT}" = 2027-03-01T23:59:00+01:00\n')
    )
    again = Course(course.root)
    release(again, UNIT)
    from nbgrader.api import Gradebook

    with Gradebook(again.gradebook_url) as gradebook:
        assert gradebook.find_assignment(UNIT).duedate.isoformat() == "2027-03-01T22:59:00"


def test_the_same_seed_is_the_same_class(course: Course, tmp_path: Path) -> None:
    release(course, UNIT)
    first = simulate(course, UNIT, 12, seed=3)
    for folder in course.submitted.iterdir():
        folder.rename(tmp_path / folder.name)
    assert simulate(course, UNIT, 12, seed=3) == first
    assert {"untouched", "perfect"} <= {each.kind for each in first}


@pytest.mark.slow
@pytest.mark.long
def test_stock_nbgrader_grades_a_class_with_accidents(course: Course) -> None:
    toml = course.root / "course.toml"
    toml.write_text(toml.read_text().replace("cell_seconds = 30.0", "cell_seconds = 20"))
    course = Course(course.root)
    release(course, UNIT)
    made = {each.student: each.kind for each in simulate(course, UNIT, 2 * len(ACCIDENTS))}
    for student, kind in made.items():  # honest ones are graded in the equality test
        if kind in ("honest", "late"):
            (course.submitted / student).rename(course.root / student)
    summary = stock.grade(course, UNIT)
    reasons = {made[p["student"]]: p["reason"] for p in summary.problems}
    assert set(reasons) == set(ACCIDENTS)
    assert "not JSON" in reasons["not JSON"]
    assert "there is no notebook" in reasons["no notebook"]
    assert "my homework.ipynb" in reasons["wrong name"]
    assert "there twice" in reasons["duplicated test cell"]
    assert "was deleted" in reasons["deleted test cell"]
    assert "died" in reasons["dying kernel"]
    assert "time limit" in reasons["endless loop"]
    by_kind = {made[student]: row for student, row in cell_scores(course, UNIT).items()}
    assert sum(v or 0 for v in by_kind["untouched"].values()) == 0
    assert sum(v or 0 for v in by_kind["perfect"].values()) == sum(
        e.points for e in course.unit(UNIT).exercises
    )
