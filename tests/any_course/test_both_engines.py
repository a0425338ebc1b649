"""Notebooks that nobody here wrote, from nbgrader's own package, graded by both engines."""

import shutil
from datetime import datetime
from pathlib import Path

import nbgrader
import pytest
from nbgrader import api

from autograder.any_course import AnyCourse
from autograder.course import Course
from autograder.grading import results
from tests.any_course import both_engines

PACKAGE = Path(nbgrader.__file__).parent
GUIDE = PACKAGE / "docs" / "source" / "user_guide"
FILES = PACKAGE / "tests" / "apps" / "files"
STUDENTS = ("changed", "unchanged", "locked-cell-changed", "grade-cell-changed", "cheat-attempt")


def new_course(root: Path, config: str = "") -> AnyCourse:
    root.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(
        f'c = get_config()\nc.CourseDirectory.course_id = "course101"\n{config}'
    )
    found = Course.find(root)
    assert isinstance(found, AnyCourse)
    return found


@pytest.fixture(scope="module")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> tuple[AnyCourse, AnyCourse]:
    """The course of `nbgrader quickstart` with the submissions of its documentation, late by a day,
    and with other folders and another penalty than usual; graded by stock nbgrader and here."""
    root = tmp_path_factory.mktemp("quickstart")
    late = "c.LateSubmissionPlugin.penalty_method = 'zero'\n"
    folders = "c.CourseDirectory.source_directory = 'master'\n"
    folders += "c.CourseDirectory.autograded_directory = 'marked'\n"
    header = 'c.IncludeHeaderFooter.header = "master/header.ipynb"\n'
    course = new_course(root / "base", folders + late + header)
    shutil.copytree(GUIDE / "source" / "ps1", course.root / "master" / "ps1")
    shutil.copy(GUIDE / "source" / "header.ipynb", course.root / "master")
    shutil.copytree(GUIDE / "submitted", course.root / "submitted")
    both_engines.release(course, "ps1")
    solved = course.submission("solved", "ps1")
    shutil.copytree(course.root / "master" / "ps1", solved)
    (course.submission("half", "ps1")).mkdir(parents=True)
    shutil.copy(solved / "problem1.ipynb", course.submission("half", "ps1"))
    with api.Gradebook(course.gradebook_url, course.course_id) as gradebook:
        due = datetime(2015, 2, 2)
        gradebook.update_or_create_assignment("ps1", duedate=due)
    stock = both_engines.twin(course, root / "stock")
    here = both_engines.twin(course, root / "here")
    both_engines.grade_stock(stock, "ps1")
    assert not both_engines.grade(here, "ps1").problems
    return stock, here


def test_quickstart_is_graded_as_nbgrader_grades_it(
    quickstart: tuple[AnyCourse, AnyCourse],
) -> None:
    stock, here = quickstart
    assert both_engines.compare(stock, here, "ps1") == []
    recorded = both_engines.recorded(here, "ps1")
    assert recorded["solved: score"][0] > recorded["bitdiddle: score"][0] > 0
    assert recorded["bitdiddle/problem1: penalty"] > 0  # handed in after the due date
    assert recorded["half/problem2/part-a"] != recorded["solved/problem2/part-a"]
    assert recorded["solved: needs a person"] is True  # for its written answers


def test_commands_beside_grade(quickstart: tuple[AnyCourse, AnyCourse]) -> None:
    from click.testing import CliRunner

    from autograder.cli import main

    _, here = quickstart
    told = {
        "late": "bitdiddle",
        "release": "nbgrader generate_assignment",
        "formgrader": "jupyter lab",
    }
    for command, said in told.items():
        done = CliRunner().invoke(main, ["--course", str(here.root), command])
        assert done.exception is None or isinstance(done.exception, SystemExit)
        assert said in " ".join(done.output.split()), done.output


def test_feedback_and_export_go_on_working(quickstart: tuple[AnyCourse, AnyCourse]) -> None:
    from nbgrader.converters import GenerateFeedback
    from nbgrader.plugins import CsvExportPlugin

    _, here = quickstart
    both_engines._convert(GenerateFeedback, here, "ps1")
    pages = list((here.root / "feedback").glob("*/ps1/*.html"))
    assert len(pages) == 7
    table = here.root / "grades.csv"
    with api.Gradebook(here.gradebook_url, here.course_id) as gradebook:
        plugin = CsvExportPlugin()
        plugin.to = str(table)
        plugin.export(gradebook)
    assert table.read_text().count("ps1,") == 4


def test_our_pages_name_the_assert_that_failed(quickstart: tuple[AnyCourse, AnyCourse]) -> None:
    from autograder.pages import feedback, report

    _, here = quickstart
    pages = {page.stem: page.read_text() for page in feedback.build(here, "ps1")}
    assert set(pages) == {"bitdiddle", "hacker", "half", "solved"}
    result = results.read(here.root, "ps1", "bitdiddle")
    assert result is not None
    failed = [cell for cell in result.cells if cell.how == "asserted" and cell.status == "failed"]
    assert failed
    for cell in failed:
        assert cell.message.split(":")[0] in pages["bitdiddle"]
    assert "AssertionError" in report.build(here).read_text()


def test_submissions_of_nbgraders_own_tests(tmp_path: Path) -> None:
    """Its sources with a task, and submissions that were changed in every way it can think of."""
    course = new_course(tmp_path / "base")
    source = course.folder("source", ".", "ps1")
    source.mkdir(parents=True)
    shutil.copy(FILES / "submitted-unchanged.ipynb", source / "p1.ipynb")
    shutil.copy(PACKAGE / "tests" / "ui-tests" / "files" / "task.ipynb", source / "task.ipynb")
    (source / "data.csv").write_text("1,2\n")
    both_engines.release(course, "ps1")
    for kind in STUDENTS:
        folder = course.submission(kind, "ps1")
        folder.mkdir(parents=True)
        shutil.copy(FILES / f"submitted-{kind}.ipynb", folder / "p1.ipynb")
        shutil.copy(course.folder("release", ".", "ps1") / "task.ipynb", folder)
        (folder / "data.csv").write_text("my own\n")
    stock = both_engines.twin(course, tmp_path / "stock")
    here = both_engines.twin(course, tmp_path / "here")
    both_engines.grade_stock(stock, "ps1")
    summary = both_engines.grade(here, "ps1")
    assert both_engines.compare(stock, here, "ps1") == []
    assert [each["student"] for each in summary.problems] == ["cheat-attempt"]
    assert "showtraceback" in summary.problems[0]["reason"]
