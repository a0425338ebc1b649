"""After an exercise was mended: only whom it concerns is graded again, and nobody loses points
unless the answer changed."""

import itertools
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.authoring.release import release
from autograder.cli.grading import Before
from autograder.course import Course
from autograder.errors import UserError
from autograder.grading import results, view
from autograder.grading.results import CellResult, Result
from autograder.points import changes, regrade
from autograder.points.finals import finals
from course_utils import exercises
from tests.autograder.test_term import MOST, UNITS, make, notebook, record

pytestmark = pytest.mark.slow

ONE = UNITS[0]
NAMES = ("ada", "bea", "cem")
COUNTER = itertools.count()


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    course = make(tmp_path_factory.mktemp("regrade") / "course")
    release(course, ONE)
    return course.root


points = st.fixed_dictionaries({"a": st.integers(0, MOST["a"]), "b": st.integers(0, MOST["b"])})


def grade(course: Course, student: str, text: str, scores: dict[str, float]) -> None:
    folder = course.autograded / student / ONE
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{ONE}.ipynb").write_bytes(notebook(course, ONE, text))
    record(course, ONE, {student: scores})


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    old=st.lists(points, min_size=3, max_size=3),
    new=st.lists(points, min_size=3, max_size=3),
    same=st.lists(st.booleans(), min_size=3, max_size=3),
    never_lower=st.booleans(),
)
def test_nobody_loses_points_for_the_same_answer(
    started: Path,
    tmp_path: Path,
    old: list[dict[str, float]],
    new: list[dict[str, float]],
    same: list[bool],
    never_lower: bool,
) -> None:
    root = tmp_path / f"{next(COUNTER)}"
    shutil.copytree(started, root)
    course = Course(root)
    for student, scores in zip(NAMES, old, strict=True):
        grade(course, student, "Because.", scores)
    before = Before(course, ONE)
    for student, scores, unchanged in zip(NAMES, new, same, strict=True):
        grade(course, student, "Because." if unchanged else "Well.", scores)
    told = {change.student: change for change in before.compare(never_lower)}
    for n, (student, final) in enumerate(finals(course, ONE).items()):
        kept = never_lower and same[n]
        wanted = {k: max(old[n][k], new[n][k]) if kept else new[n][k] for k in ("a", "b")}
        assert final.score == sum(wanted.values())
        was, stays = sum(old[n].values()), kept and wanted != new[n]
        assert (student in told) == (final.score != was or stays)
        if student in told:
            assert (told[student].before, told[student].after) == (was, final.score)
            assert bool(told[student].kept) == stays
            for name in ("a", "b"):
                said = f"{name}01 from {old[n][name]} to {wanted[name]}" in told[student].reason
                assert said == (wanted[name] != old[n][name])
    assert dict(changes.all_of(course, ONE)) == told
    shutil.rmtree(root)


def test_which_exercises_have_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course, unit = Course(tmp_path), exercises.unit("03")
    with pytest.raises(UserError, match="run `autograder grade 03`"):
        regrade.changed(course, unit.name)
    regrade.remember(course, unit.name)
    assert regrade.changed(course, unit.name) == []
    known = dict(view.sources())
    copy = tmp_path / "causal_mask.py"

    def mend(module: str) -> list[str]:
        copy.write_text(known[module].read_text() + "\n# mended\n")
        monkeypatch.setattr(view, "sources", lambda: known | {module: copy})
        return regrade.changed(course, unit.name)

    assert mend("exercises.masking.choice_zero_score") == ["choice_zero_score"]
    assert mend("exercises.nadaraya_watson.softmax") == []
    assert mend("judging.judge") == [each.name for each in unit.exercises], "it decides about all"


def test_only_who_has_begun_it_is_concerned(tmp_path: Path) -> None:
    cells = {
        "ada": CellResult("test_x", "x", "judged", 0.0, 2, status="failed"),
        "bea": CellResult("test_x", "x", "judged", 0.0, 2, status="not started"),
        "cem": CellResult("test_y", "y", "judged", 2.0, 2, status="passed"),
    }
    for student, cell in cells.items():
        path = results.path_of(tmp_path, ONE, student)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(Result(student, ONE, "f", 3, (cell,)).to_json())
    assert regrade.concerned(Course(tmp_path), ONE, ["x"]) == ["ada"]
    assert regrade.concerned(Course(tmp_path), ONE, ["x", "y"]) == ["ada", "cem"]
