"""A class is graded, interrupted, graded again.

Nothing is lost, nothing is done twice, what a person did survives.
"""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.grading import results, run
from autograder.grading.backup import back_up
from autograder.grading.journal import locked
from autograder.grading.record import Recorder
from autograder.grading.results import RunSummary
from autograder.grading.worker import Job
from autograder.pages import feedback
from autograder.points.scores import cell_scores
from autograder.sandbox import proof
from autograder.sandbox.levels import not_held
from tests.autograder import classroom
from tests.autograder.classroom import UNIT
from tests.autograder.sandbox import ordinary
from tests.conftest import need

pytestmark = pytest.mark.sandbox
SEED = "test"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return classroom.make(
        tmp_path_factory.mktemp("run") / "base",
        '[due]\n"01_nadaraya_watson" = 2026-01-01T12:00:00Z\n[late]\npenalty_per_day = 0.1\n',
    )


@pytest.fixture
def course(base: Course, tmp_path: Path) -> Course:
    return classroom.clone(base, tmp_path / "course")


@pytest.fixture
def grade(monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunSummary]:
    monkeypatch.setattr(
        run, "grader_version", lambda unit: "1"
    )  # whoever edits the course while this runs
    return lambda course, **options: run.grade(course, "01", seed=SEED, **options)


def hand_in(course: Course, student: str, timestamp: str | None = None, **changes: str) -> None:
    classroom.hand_in(
        course, student, classroom.notebook(course, classroom.answers() | changes), timestamp
    )


def by_hand(course: Course, student: str, cell: str, points: float, comment: str) -> None:
    """What an instructor does in the formgrader."""
    from nbgrader.api import Gradebook

    with Gradebook(course.gradebook_url) as gradebook:
        grade = gradebook.find_grade(cell, UNIT, UNIT, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.find_comment(cell, UNIT, UNIT, student).manual_comment = comment
        gradebook.db.commit()


def rows(course: Course, student: str) -> dict[str, Any]:
    from nbgrader.api import Gradebook

    with Gradebook(course.gradebook_url) as gradebook:
        submission = gradebook.find_submission(UNIT, student)
        notebook = submission.notebooks[0]
        return {
            "score": submission.score,
            "penalty": notebook.late_submission_penalty,
            "late": submission.total_seconds_late,
            "grades": {
                grade.name: (grade.auto_score, grade.manual_score, grade.needs_manual_grade)
                for grade in notebook.grades
            },
            "comments": {
                comment.name: (comment.auto_comment, comment.manual_comment)
                for comment in notebook.comments
            },
        }


def test_a_class_is_graded_again_only_where_something_changed(
    course: Course, grade: Callable[..., RunSummary]
) -> None:
    hand_in(course, "ada", "2025-12-31 10:00:00 UTC")
    hand_in(
        course,
        "bob",
        "2026-01-02 13:00:00 UTC",
        softmax="def softmax(scores, dim=-1):\n    return scores.sigmoid()",
    )
    hand_in(course, "cy", why="YOUR ANSWER HERE", choice_units='choice_units = "a"')
    ticks: list[int] = []
    first = grade(course, advance=lambda: ticks.append(1))
    assert (first.graded, first.skipped, first.problems, first.level, len(ticks)) == (
        3,
        0,
        [],
        3,
        3,
    )
    assert first.as_json().keys() == {"unit", "graded", "skipped", "problems", "level", "seconds"}
    ada, bob, cy = (rows(course, student) for student in ("ada", "bob", "cy"))
    assert ada["grades"]["test_softmax"] == (3.0, None, False)
    assert ada["grades"]["why"] == (None, None, True)
    assert ada["comments"]["softmax"][0].startswith("✓ softmax")
    assert (ada["penalty"], ada["late"]) == (None, 0)
    assert bob["grades"]["test_softmax"] == (0.0, None, False)
    assert "sigmoid" in bob["comments"]["softmax"][0]
    assert (bob["score"], bob["penalty"], bob["late"]) == (18.0, pytest.approx(3.6), 25 * 3600)
    assert cy["grades"]["why"] == (0.0, None, False)
    assert cy["comments"]["why"] == ("No response.", None)
    assert len(list((course.root / "backups").glob("*.db"))) == 1

    by_hand(course, "ada", "why", 1.5, "good")
    state = {student: rows(course, student) for student in ("ada", "bob", "cy")}
    again = grade(course)
    assert (again.graded, again.skipped, again.changed) == (0, 3, [])
    assert {student: rows(course, student) for student in state} == state
    assert len(list((course.root / "backups").glob("*.db"))) == 1, (
        "a run that changes nothing backs up nothing"
    )

    hand_in(
        course, "ada", "2025-12-31 10:00:00 UTC", softmax="def softmax(scores, dim=-1):\n    ..."
    )
    changed = grade(course)
    assert (changed.graded, changed.skipped) == (1, 2)
    assert changed.changed == [{"student": "ada", "before": 22.5, "after": 19.5}]
    after = rows(course, "ada")
    assert after["grades"]["why"] == (None, 1.5, False), (
        "a manual score survives, and stands: that answer has not changed"
    )
    assert after["comments"]["why"][1] == "good"

    forced = grade(course, student="bob", force=True)
    assert (forced.graded, forced.skipped, forced.changed) == (1, 0, [])
    with pytest.raises(UserError, match="has not handed in"):
        grade(course, student="nobody")


def test_the_result_file_tells_everything(course: Course, grade: Callable[..., RunSummary]) -> None:
    loop = "def softmax(scores, dim=-1):\n    while True:\n        sum(range(10**9))"
    (course.root / "course.toml").write_text("[limits]\ncell_seconds = 2\n")
    hand_in(course, "eve", softmax=loop, gaussian_weights="print('hi')\nwhile True: pass")
    grade(course)
    result = results.read(course.root, UNIT, "eve")
    assert result is not None
    assert [(note.limit, note.where) for note in result.limits] == [
        ("cell_seconds", "test_softmax"),
        ("cell_seconds", "gaussian_weights"),
    ]
    points = {cell.name: cell.points for cell in result.cells}
    assert points["test_softmax"] == points["test_gaussian_weights"] == 0.0
    assert points["test_nadaraya_watson"] == 3.0
    assert points["test_rescaled"] == 2.0
    assert [cell.name for cell in result.cells if cell.forgeable] == ["test_rescaled"]
    judged = next(cell for cell in result.cells if cell.name == "test_nadaraya_watson")
    assert (judged.how, judged.kind, judged.status, judged.exercise) == (
        "judged",
        "function",
        "passed",
        "nadaraya_watson",
    )
    assert len(judged.cases) > 8
    assert any(not case.visible for case in judged.cases)
    notebook = json.loads((course.autograded / "eve" / UNIT / f"{UNIT}.ipynb").read_text())
    told = classroom.named(notebook, "gaussian_weights")["outputs"]
    assert told[0]["text"] == "hi\n"
    assert "the time for one cell" in told[-1]["text"]
    assert (
        classroom.named(notebook, "test_nadaraya_watson")["outputs"][0]["data"]["text/plain"]
        == "3.0"
    )


def test_nbgrader_reads_the_same_points_from_the_notebook(
    course: Course, grade: Callable[..., RunSummary]
) -> None:
    import nbformat
    from nbgrader.nbgraderformat import MetadataValidator
    from nbgrader.utils import determine_grade, is_grade

    hand_in(
        course,
        "ada",
        softmax="def softmax(scores, dim=-1):\n    e = scores.exp()\n"
        "    return e / e.sum(dim, keepdim=True)",
    )
    grade(course)
    notebook = nbformat.read(course.autograded / "ada" / UNIT / f"{UNIT}.ipynb", as_version=4)
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)
    read = {
        cell.metadata.nbgrader.grade_id: determine_grade(cell)[0]
        for cell in notebook.cells
        if is_grade(cell)
    }
    assert read == cell_scores(course, UNIT)["ada"]
    assert read["test_softmax"] == 1.8


def test_files_beside_the_notebook_are_there(
    course: Course, grade: Callable[..., RunSummary]
) -> None:
    source = "import helper\nsoftmax = helper.shares\nprint(open('data/numbers.txt').read())"
    hand_in(course, "ada", softmax=source)
    folder = course.submitted / "ada" / UNIT
    (folder / "data").mkdir()
    (folder / "data" / "numbers.txt").write_text("one two")
    (folder / "helper.py").write_text(
        "def shares(scores, dim=-1):\n    e = (scores - scores.amax(dim, keepdim=True)).exp()\n  "
        "  return e / e.sum(dim, keepdim=True)\n"
    )
    grade(course)
    assert cell_scores(course, UNIT)["ada"]["test_softmax"] == 3.0
    assert (course.autograded / "ada" / UNIT / "data" / "numbers.txt").read_text() == "one two"


def test_a_resubmission_may_turn_a_file_into_a_folder(
    course: Course, grade: Callable[..., RunSummary]
) -> None:
    from tests.autograder.grading.stand_in import Here

    hand_in(course, "ada")
    folder = course.submitted / "ada" / UNIT
    (folder / "data").write_text("a file")
    (folder / "old.txt").write_text("soon gone")
    grade(course, pool=Here(UNIT))
    (folder / "data").unlink()
    (folder / "old.txt").unlink()
    (folder / "data").mkdir()
    (folder / "data" / "numbers.txt").write_text("a folder")
    again = grade(course, pool=Here(UNIT))
    assert (again.graded, again.problems) == (1, [])
    stored = course.autograded / "ada" / UNIT
    assert (stored / "data" / "numbers.txt").read_text() == "a folder"
    assert sorted(path.name for path in stored.iterdir()) == [f"{UNIT}.ipynb", "data"]


def test_only_a_disk_that_takes_nothing_ends_the_run(
    course: Course, grade: Callable[..., RunSummary], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.autograder.grading.stand_in import Here

    for student in ("ada", "bob", "cy"):
        hand_in(course, student)
    real = run.Run.store
    error = OSError(errno.ENAMETOOLONG, "File name too long")

    def store(self: run.Run, answer: Any, job: Any) -> None:
        if job.student == "bob":
            raise error
        real(self, answer, job)

    monkeypatch.setattr(run.Run, "store", store)
    done = grade(course, pool=Here(UNIT))
    assert done.graded == 2
    assert done.problems == [
        {"student": "bob", "reason": "it cannot be read or stored: File name too long"}
    ]
    error = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(UserError, match=r"No space left.*same command again"):
        grade(course, pool=Here(UNIT))


DRIVER = """
import os, signal, sys
from pathlib import Path
from autograder.course import Course
from autograder.grading import record, run

def main():
    real, calls = record.Recorder.record, []
    def deadly(self, result):
        calls.append(result.student)
        if len(calls) == 3:
            with self.gradebook.engine.begin() as connection:
                self._submission(connection, result)
                os.kill(os.getpid(), signal.SIGKILL)
        return real(self, result)
    if sys.argv[2] == "recording":
        record.Recorder.record = deadly
    real_store = run.Run.store
    def store(self, answer, job):
        real_store(self, answer, job)
        folder = self.course.root / "runs" / "results" / self.unit
        if sys.argv[2] == "storing" and len(list(folder.iterdir())) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
    run.Run.store = store
    run.grader_version = lambda unit: "1"
    run.grade(Course(Path(sys.argv[1])), "01", seed="test")

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("when", ["recording", "storing"])
def test_a_killed_run_goes_on_where_it_stopped(
    course: Course, grade: Callable[..., RunSummary], tmp_path: Path, when: str
) -> None:
    for number in range(6):
        hand_in(
            course,
            f"s{number}",
            softmax=f"def softmax(scores, dim=-1):\n    return scores * {number}",
        )
    driver = tmp_path / "driver.py"
    driver.write_text(DRIVER)
    environment = os.environ | {"PYTHONPATH": str(SOURCE_TREE)}
    killed = subprocess.run(
        [sys.executable, str(driver), str(course.root), when],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    folder = course.root / "runs" / "results" / UNIT
    stored = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    assert len(stored) >= 3
    with Recorder(course, UNIT) as recorder:
        assert len(recorder.students()) == 2
    done = grade(course)
    assert (done.graded, done.skipped, done.problems) == (4, 2, [])
    for name, content in stored.items():
        assert (folder / name).read_bytes() == content, "what was graded is not graded again"
    assert len(cell_scores(course, UNIT)) == 6
    assert grade(course).skipped == 6


def test_two_graders_at_once(course: Course) -> None:
    hand_in(course, "ada")
    with locked(course, UNIT), pytest.raises(UserError, match="being graded already"):
        run.grade(course, "01", seed=SEED)


def test_a_gradebook_that_lost_its_rows_is_filled_from_the_results(
    course: Course, grade: Callable[..., RunSummary]
) -> None:
    copy = back_up(course)
    assert copy is not None
    hand_in(course, "ada")
    grade(course)
    expected = cell_scores(course, UNIT)
    (course.root / "gradebook.db").write_bytes(copy.read_bytes())
    assert cell_scores(course, UNIT) == {}
    assert grade(course).graded == 1
    assert cell_scores(course, UNIT) == expected


def test_a_worker_that_dies_costs_nobody_else_anything(
    course: Course, grade: Callable[..., RunSummary], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        hand_in(course, f"s{number}")
    real = Job.to_bytes
    monkeypatch.setattr(Job, "to_bytes", lambda job: real(job) if job.student != "s1" else b"")
    done = grade(course)
    assert done.graded == 3
    assert [each["student"] for each in done.problems] == ["s1"]


def test_an_unreleased_unit_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("")
    (tmp_path / "submitted" / "ada" / UNIT).mkdir(parents=True)
    with pytest.raises(UserError, match="autograder release"):
        run.grade(Course(tmp_path), "01", seed=SEED)


@pytest.mark.parametrize("level", [2, 1, 0])
def test_lower_levels_grade_the_same_and_say_so(
    course: Course,
    grade: Callable[..., RunSummary],
    monkeypatch: pytest.MonkeyPatch,
    level: int,
) -> None:
    monkeypatch.setattr(proof, "LEVELS", (level,))
    hand_in(course, "ada")
    hand_in(course, "bob", softmax="def softmax(scores, dim=-1):\n    import os\n    os._exit(0)")
    (course.submitted / "ada" / UNIT / "helper.txt").write_text("x")
    lines: list[str] = []
    summary = grade(course, min_level=level, say=lines.append)
    assert (summary.graded, summary.level, summary.problems) == (2, level, [])
    assert lines[0].startswith(f"sandbox level {level}")
    result = results.read(course.root, UNIT, "ada")
    assert result is not None
    assert (result.level, result.score) == (level, 21.0)
    page, line = feedback.build(course, UNIT, "ada")[0].read_text(), not_held(level)
    comment = rows(course, "ada")["comments"]["softmax"][0]
    assert bool(line) == (level < 2)
    assert (line in page, line in comment) == (True, True), "said where there is something to say"
    assert ("graded at level" in page, "graded at level" in comment) == (level < 2, level < 2)
    points = cell_scores(course, UNIT)["bob"]
    assert (
        points["test_softmax"],
        points["test_gaussian_weights"],
        points["test_leave_one_out_error"],
    ) == (0.0, 3.0, 4.0)


def test_an_ordinary_user_grades_behind_the_same_walls(course: Course) -> None:
    need(ordinary.possible(), "root, or unshare and setpriv")
    hand_in(course, "ada")
    hand_in(
        course,
        "mallory",
        softmax=f"print(open({str(course.root / 'gradebook.db')!r}, 'rb').read())",
    )
    root = Path(tempfile.mkdtemp(prefix="ordinary-"))
    try:
        shutil.copytree(course.root, root, dirs_exist_ok=True)
        for path in (root, *root.rglob("*")):
            os.chown(path, ordinary.NOBODY, ordinary.NOBODY)
        code = "import json, sys\nfrom pathlib import Path\nfrom autograder.course import Course\n"
        code += "from autograder.grading.run import grade\n"
        code += "print(json.dumps(grade(Course(Path(sys.argv[1])), '01', seed='test').as_json()))"
        done = ordinary.run(code, str(root))
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stdout.splitlines()[-1])
        assert (summary["graded"], summary["level"], summary["problems"]) == (2, 3, [])
        points = cell_scores(Course(root), UNIT)
        assert points["ada"]["test_softmax"] == 3.0
        assert points["mallory"]["test_softmax"] == 0.0
        assert (
            "SQLite format"
            not in (root / "autograded" / "mallory" / UNIT / f"{UNIT}.ipynb").read_text()
        )
    finally:
        shutil.rmtree(root)
