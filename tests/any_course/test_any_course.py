"""A folder with an nbgrader_config.py: what is found there, what is imported, what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from autograder.any_course import AnyCourse, preloads, within
from autograder.course import Course
from autograder.errors import UserError
from autograder.grading import asserts, results
from autograder.grading.prepare import SourceCell, Template
from autograder.grading.record import made_of
from autograder.settings import Limits
from tests.any_course import both_engines
from tests.any_course.hostile import ASSIGNMENT, ATTACKS, NOTEBOOK, RIGHT, make, points, source

LOADED = (
    "import sys\nprint(sorted({'torch', 'numpy', 'matplotlib', 'course_utils'} & {*sys.modules}))"
)
WATCHED = """
import sys
from autograder.course import Course
from autograder.grading import run
from autograder.pages import feedback, report
course = Course.find(sys.argv[1])
run.grade(course, "ps1", workers=2, min_level=0)
feedback.build(course, "ps1"), report.build(course)
print(sorted({"torch", "numpy", "course_utils"} & {*sys.modules}))
"""


def config(root: Path, text: str = "") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "nbgrader_config.py").write_text(f"c = get_config()\n{text}")
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> AnyCourse:
    """A released course with one right and one broken submission."""
    course = make(tmp_path_factory.mktemp("any") / "course", {"honest": ATTACKS["honest"]})
    folder = course.submission("right", ASSIGNMENT)
    folder.mkdir(parents=True)
    released = course.folder("release", ".", ASSIGNMENT) / f"{NOTEBOOK}.ipynb"
    notebook = nbformat.read(released, as_version=4)
    notebook.cells[1].source = f"def squares(n):\n    {RIGHT}"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(LOADED))
    nbformat.write(notebook, folder / f"{NOTEBOOK}.ipynb")
    lost = course.submission("lost", ASSIGNMENT)
    lost.mkdir(parents=True)
    del notebook.cells[3]  # the test, which stock nbgrader would not miss
    nbformat.write(notebook, lost / f"{NOTEBOOK}.ipynb")
    return course


def test_a_course_without_torch_does_not_pay_for_it(made: AnyCourse) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WATCHED, str(made.root)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
    path = made.graded("right", ASSIGNMENT) / f"{NOTEBOOK}.ipynb"
    (first, *_) = json.loads(path.read_text())["cells"]
    assert "".join(first["outputs"][0]["text"]) == "['numpy']\n"  # which the release imports


def test_a_test_that_was_deleted_is_put_back(made: AnyCourse) -> None:
    both_engines.grade(made, ASSIGNMENT)
    assert points(made, "lost") == points(made, "right") == "10 of 10"
    result = results.read(made.root, ASSIGNMENT, "lost")
    assert result is not None
    assert result.repairs == ("the cell test_squares was missing; it was put back",)


def test_nothing_is_graded_twice(made: AnyCourse) -> None:
    both_engines.grade(made, ASSIGNMENT)
    again = both_engines.grade(made, ASSIGNMENT)
    assert (again.graded, again.skipped) == (0, 3)


def test_what_is_a_course_of_its_own(tmp_path: Path) -> None:
    assert isinstance(Course.find(config(tmp_path / "other")), AnyCourse)
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "course.toml").write_text('title = "x"\n')
    assert not Course.find(mine).foreign
    (mine / "nbgrader_config.py").write_text("from autograder.nbgrader_bridge import settings\n")
    assert not Course.find(mine).foreign
    with pytest.raises(UserError, match=r"no nbgrader_config\.py"):
        Course.find(tmp_path)


def test_folders_and_gradebook_are_those_of_the_configuration(tmp_path: Path) -> None:
    text = """
c.CourseDirectory.submitted_directory = "in"
c.CourseDirectory.directory_structure = "{assignment_id}/{nbgrader_step}/{student_id}"
c.CourseDirectory.db_url = "sqlite:///books.db"
c.CourseDirectory.student_id_exclude = "bob"
c.Execute.timeout = 60
"""
    course = Course.find(config(tmp_path, text))
    for student in ("ann", "bob"):
        (tmp_path / "ps1" / "in" / student).mkdir(parents=True)
    assert course.submission("ann", "ps1") == tmp_path / "ps1" / "in" / "ann"
    assert course.students("ps1") == ["ann"]
    assert course.gradebook_url == f"sqlite:///{tmp_path / 'books.db'}"
    assert course.settings.limits.cell_seconds == 60
    with pytest.raises(UserError, match=r"no assignment 'ps2'. Did you mean 'ps1'"):
        course.unit_name("ps2")


def test_limits_of_a_course_toml_count(tmp_path: Path) -> None:
    (config(tmp_path) / "course.toml").write_text("[limits]\ncell_seconds = 5\n")
    assert Course.find(tmp_path).settings.limits.cell_seconds == 5
    assert within(30) == Limits()
    assert within(None).cell_seconds == within(-1).cell_seconds == 3600


def test_code_inside_nbgrader_is_left_to_nbgrader(tmp_path: Path) -> None:
    course = AnyCourse(config(tmp_path, "c.Autograde.post_convert_hook = 'my.hook'\n"))
    with pytest.raises(UserError, match=r"Autograde.post_convert_hook.*--engine stock"):
        course.rules()


def test_a_configuration_that_fails_says_why(tmp_path: Path) -> None:
    course = AnyCourse(config(tmp_path, "1 / 0\n"))
    with pytest.raises(UserError, match=r"nbgrader_config.py cannot be used: .*division by zero"):
        _ = course.gradebook_url


def test_only_what_the_release_imports_is_imported_early() -> None:
    cells = ["%matplotlib inline\nimport numpy as np", "from sklearn import svm", "import helper"]
    assert preloads(cells) == ("numpy", "sklearn", "sklearn.svm")
    assert preloads(cells, ["numpy.py", "data/x.csv"]) == ("sklearn", "sklearn.svm")
    assert preloads(["def broken(:"]) == ()


def test_a_release_that_is_gone_is_made_of_the_gradebook() -> None:
    hidden = "assert 1\n### BEGIN HIDDEN TESTS\nassert 2\n### END HIDDEN TESTS\nassert 3\n"
    cell = SourceCell("t", "code", hidden, True, "0" * 32, True, False, False, 1.0)
    text = json.loads(made_of([cell]))["cells"][0]["source"]
    assert text == "assert 1\nassert 3\n"


def test_marks_that_lie_are_not_believed() -> None:
    test = source().cells[2]
    cell = SourceCell("test_squares", "code", test.source, True, "", True, False, False, 10.0)
    template = Template("book", (cell,), None, b'{"cells": []}')
    notebook = source()
    del notebook.cells[1].metadata.nbgrader["grade_id"]  # nbgrader leaves such marks in old courses
    assert asserts.fits(notebook, template)
    notebook.cells[2].metadata.nbgrader["solution"] = True
    assert not asserts.fits(notebook, template)
    twice = source()
    del twice.cells[1].metadata.nbgrader["grade_id"]
    twice.cells.append(twice.cells[2])
    assert not asserts.fits(twice, template)
