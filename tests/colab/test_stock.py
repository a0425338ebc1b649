"""What stock nbgrader gives each kind of damage: the other column of docs/repair.md.

A sample each time, because stock nbgrader takes seconds per notebook; COURSE_ALL_STOCK=1 measures
the whole column again.
"""

import os

import pytest

from autograder.authoring.release import new_course, release
from autograder.course import Course
from tests.colab import damage

pytestmark = pytest.mark.slow
KINDS = damage.DAMAGES if os.environ.get("COURSE_ALL_STOCK") else damage.DAMAGES[::9]


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> tuple[Course, dict[str, str]]:
    course = new_course(tmp_path_factory.mktemp("stock") / "course")
    release(course, damage.UNIT)
    return course, {
        kind.group + kind.text: student
        for student, kind in damage.hand_in(course, damage.DAMAGES).items()
    }


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_stock_nbgrader_gives_what_the_table_says(
    kind: damage.Damage, stock: tuple[Course, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    course, students = stock
    monkeypatch.chdir(course.root)
    monkeypatch.setenv("COURSE_SEED", "stock")
    assert damage.stock_losses(course, students[kind.group + kind.text]) == kind.stock
