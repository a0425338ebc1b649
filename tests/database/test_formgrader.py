"""Grading by hand with the gradebook in PostgreSQL.

Nbgrader's formgrader shows what was graded, and what it saves stays.
"""

import shutil

import pytest

from autograder.course import Course
from autograder.grading.record import Recorder
from autograder.points.scores import scores
from tests.database.conftest import BROKEN, ONE, TWO, record_all, stored
from tests.database.content import content
from tests.database.formgrader import Formgrader
from tests.database.server import PASSWORD

pytestmark = [pytest.mark.postgres, pytest.mark.sandbox]


def test_the_formgrader_reads_and_writes(in_postgres: Course, graded: Course) -> None:
    course = in_postgres
    shutil.copytree(graded.autograded, course.autograded)
    record_all(course, graded, ONE, TWO)
    expected = {score.student: score for score in scores(graded, ONE)}
    with Formgrader(course) as formgrader:
        assignments = {each["name"]: each for each in formgrader.api("assignments")}
        assert (assignments[ONE]["num_submissions"], assignments[ONE]["max_score"]) == (
            len(expected) + 1,
            next(iter(expected.values())).max_score,
        )
        assert assignments[TWO]["average_score"] == pytest.approx(
            sum(s.score for s in scores(graded, TWO)) / len(scores(graded, TWO))
        )

        submissions = {each["student"]: each for each in formgrader.api(f"submissions/{ONE}")}
        assert set(submissions) == {*expected, BROKEN}
        for student, score in expected.items():
            found = submissions[student]
            assert (found["score"], found["max_score"], found["needs_manual_grade"]) == (
                pytest.approx(score.score),
                score.max_score,
                score.needs_manual_grade,
            )
            assert found["autograded"]
        notebooks = formgrader.api(f"submitted_notebooks/{ONE}/{ONE}")
        assert sorted(each["score"] for each in notebooks) == pytest.approx(
            sorted(score.score for score in expected.values())
        )
        assert {each["id"] for each in formgrader.api("students")} == {*expected, BROKEN}

        chosen = next(each for each in notebooks if each["needs_manual_grade"])
        for path in (
            "manage_assignments",
            f"gradebook/{ONE}/{ONE}",
            "manage_students",
            f"manage_submissions/{ONE}",
        ):
            assert PASSWORD not in (shown := formgrader.page(path))
            assert "db_url" not in shown

        grade = next(
            each
            for each in formgrader.api(f"grades?submission_id={chosen['id']}")
            if each["needs_manual_grade"]
        )
        assert f'id="{grade["name"]}"' in formgrader.page(f"submissions/{chosen['id']}/?index=0"), (
            "the form for this grade"
        )
        saved = formgrader.api(f"grade/{grade['id']}", {"manual_score": 1.5, "extra_credit": 0.5})
        assert (saved["manual_score"], saved["needs_manual_grade"]) == (1.5, False)
        comment = next(
            each
            for each in formgrader.api(f"comments?submission_id={chosen['id']}")
            if each["name"] == grade["name"]
        )
        formgrader.api(f"comment/{comment['id']}", {"manual_comment": "a reason is missing ✓"})

        with Recorder(course, ONE) as recorder:
            whose = next(
                result for result in stored(graded, ONE) if result.student == chosen["student"]
            )
            before, after = recorder.record(whose)
        assert before == after == pytest.approx(whose.score + 2.0)
        again = next(
            each
            for each in formgrader.api(f"grades?submission_id={chosen['id']}")
            if each["id"] == grade["id"]
        )
        assert (again["manual_score"], again["extra_credit"], again["needs_manual_grade"]) == (
            1.5,
            0.5,
            False,
        ), "the same answer was recorded again: what a person graded stays graded"
        listed = {each["student"]: each for each in formgrader.api(f"submissions/{ONE}")}
        assert listed[chosen["student"]]["score"] == pytest.approx(whose.score + 2.0)
    assert [
        row["manual_comment"] for row in content(course)["comment"] if row["manual_comment"]
    ] == ["a reason is missing ✓"]
    assert "Traceback" not in formgrader.log.read_text()
    assert PASSWORD not in formgrader.log.read_text()
