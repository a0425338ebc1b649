"""The other commands in a course that nbgrader made: several notebooks per assignment are
collected, and what is only for courses of this package says so."""

import json
import shutil
import zipfile
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner

from autograder.cli import main
from tests.any_course import both_engines
from tests.any_course.test_both_engines import GUIDE, new_course

PROBLEMS = ("problem1", "problem2")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """nbgrader's own quickstart, released."""
    made = new_course(tmp_path_factory.mktemp("collecting") / "course")
    shutil.copytree(GUIDE / "source" / "ps1", made.root / "source" / "ps1")
    both_engines.release(made, "ps1")
    return made.root


def delivery(course: Path, path: Path) -> Path:
    """A download of Canvas: one student with everything, one with a notebook too few and one too
    many."""
    files = {
        "leeann_11_101_problem1.ipynb": (course / "source/ps1/problem1.ipynb"),
        "leeann_11_102_problem2-1.ipynb": (course / "source/ps1/problem2.ipynb"),
        "leeann_11_103_jupyter.png": (course / "source/ps1/jupyter.png"),
        "kimben_12_104_Copy of problem1.ipynb": (course / "release/ps1/problem1.ipynb"),
        "kimben_12_105_scratch.ipynb": (course / "release/ps1/problem1.ipynb"),
    }
    with zipfile.ZipFile(path, "w") as zipped:
        for name, source in files.items():
            zipped.writestr(name, source.read_bytes())
    return path


def run(course: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["--course", str(course), *words])
    return done.exit_code, done.output


def test_every_notebook_of_an_assignment_is_collected(course: Path, tmp_path: Path) -> None:
    roster = tmp_path / "students.csv"
    roster.write_text("student,canvas\nann,11\nben,12\n")
    source = delivery(course, tmp_path / "submissions.zip")
    code, output = run(course, "collect", "ps1", str(source), "--roster", str(roster), "--json")
    found = {each["student"]: each for each in json.loads(output)["students"]}
    assert code == 1  # ben's is to be looked at
    for name in PROBLEMS:
        handed_in = nbformat.read(course / f"source/ps1/{name}.ipynb", as_version=4)
        filed = nbformat.read(course / f"submitted/ann/ps1/{name}.ipynb", as_version=4)
        assert [c.source for c in filed.cells] == [c.source for c in handed_in.cells]
    assert (course / "submitted/ann/ps1/jupyter.png").is_file()
    assert sorted(path.name for path in (course / "submitted/ben/ps1").glob("*.ipynb")) == [
        "problem1.ipynb"
    ]
    said = " ".join(found["ben"]["notes"])
    assert "problem2.ipynb was not handed in" in said
    assert "scratch.ipynb" in said
    assert not found["ann"]["notes"]
    _, output = run(course, "collect", "ps1", str(source), "--roster", str(roster), "--json")
    assert {each["status"] for each in json.loads(output)["students"]} == {"unchanged"}


def test_what_needs_exercises_of_this_package_says_so(course: Path) -> None:
    for words in (["audit"], ["mutate"]):
        code, output = run(course, *words)
        assert code == 2
        assert "made with nbgrader alone" in output
    code, output = run(course, "list", "--json")
    assert json.loads(output)["assignments"][0]["notebooks"] == [*PROBLEMS]


def test_a_class_of_which_nobody_can_be_graded(course: Path, tmp_path: Path) -> None:
    folder = course / "submitted" / "carl" / "ps1"
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("sorry")
    code, output = run(course, "grade", "ps1", "--student", "carl", "--min-level", "0")
    assert code == 1
    assert "none of its notebooks is there" in output
    code, output = run(course, "export", "ps1", "--to", "csv")
    assert code == 2
    assert "`autograder grade ps1`" in output
