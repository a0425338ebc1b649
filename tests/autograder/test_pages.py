"""What the pages say: manual scores and comments, late penalties, what to do next."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from autograder.authoring.release import release
from autograder.collecting import taken
from autograder.course import Course
from autograder.grading.results import CellResult, Result, path_of
from autograder.pages import common, feedback, report
from autograder.points.finals import Final
from autograder.points.policy import Charge, HandIn, Lateness, Points
from course_utils import exercises

UNIT = "01_nadaraya_watson"


def hand_in(course: Course, student: str, cells: tuple[CellResult, ...]) -> None:
    path = path_of(course.root, UNIT, student)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(Result(student, UNIT, "f", 3, cells, graded_at="now").to_json())


def test_what_a_person_wrote_is_on_the_page(course: Course) -> None:
    from nbgrader.api import Gradebook

    release(course, UNIT)
    with Gradebook(course.gradebook_url) as gradebook:
        gradebook.add_student("anna")
        gradebook.add_submission(UNIT, "anna")
        written = gradebook.find_grade("town_of_200000", UNIT, UNIT, "anna")
        written.manual_score, written.needs_manual_grade = 2.5, False
        gradebook.find_comment(
            "town_of_200000", UNIT, UNIT, "anna"
        ).manual_comment = "Good <b>units</b>, but why?"
        gradebook.db.commit()
    hand_in(course, "anna", (CellResult("town_of_200000", None, "by hand", None, 3.0),))
    page = feedback.build(course, UNIT)[0].read_text()
    assert "Good &lt;b&gt;units&lt;/b&gt;, but why?" in page
    assert "<strong>2.5</strong> of 3 points" in page
    assert "waits for a person" not in page


def test_a_limit_and_a_stub_are_told(course: Course) -> None:
    from autograder.grading.results import LimitNote

    exercise = exercises.find("softmax")
    stub = CellResult(
        "test_softmax",
        "softmax",
        "judged",
        0.0,
        3.0,
        section=exercise.section,
        status="not started",
        message="Not started.",
    )
    path = path_of(course.root, UNIT, "berta")
    path.parent.mkdir(parents=True)
    note = LimitNote("cell_seconds", "softmax", "no end within 30 s")
    path.write_bytes(
        Result(
            "berta",
            UNIT,
            "f",
            2,
            (stub,),
            (note,),
            repairs=("test_softmax was put back",),
            graded_at="now",
        ).to_json()
    )
    page = feedback.build(course, UNIT)[0].read_text()
    for words in (
        "not started",
        "no end within 30 s",
        "test_softmax was put back",
        "sandbox level 2",
    ):
        assert words in page


def test_names_cannot_leave_the_folder(course: Course) -> None:
    assert common.feedback_path(course, UNIT, "../../evil").parent == course.root / "pages" / UNIT
    assert common.feedback_path(course, UNIT, "..").name not in ("..", ".html")


def judged(name: str, points: float, status: str, **more: Any) -> CellResult:
    exercise = exercises.find(name)
    return CellResult(
        f"test_{name}", name, "judged", points, exercise.points, kind=exercise.kind,
        section=exercise.section, status=status, **more,
    )  # fmt: skip


def test_what_to_do_next_comes_first_and_questions_have_titles(course: Course) -> None:
    (course.root / "students.csv").write_text("student,name\nanna,Anna Öne\n")
    (course.root / "course.toml").write_text('site = "https://example.edu/x/"\n')
    course = Course(course.root)
    cells = (
        judged("softmax", 3.0, "passed"),
        judged("choice_units", 0.0, "not started"),
        judged("nadaraya_watson", 0.0, "failed"),
        judged("gaussian_weights", 0.0, "failed", misconception="x", title="Some *named* mistake"),
    )
    hand_in(course, "anna", cells)
    graded = course.autograded / "anna" / UNIT / f"{UNIT}.ipynb"
    graded.parent.mkdir(parents=True)
    code = (
        "def nadaraya_watson(q, k, v, b):\n    w = gaussian_weights(q, k, b)\n    return w @ v, w"
    )
    mark = {"nbgrader": {"grade_id": "nadaraya_watson"}}
    cell = {"cell_type": "code", "metadata": mark, "source": code, "outputs": []}
    graded.write_text(json.dumps({"cells": [cell]}))
    page = feedback.build(course, UNIT)[0].read_text()
    order = ["2. Gaussian weights", "3. Nadaraya-Watson", "6. Predict", "What is right"]
    places = [page.index(words) for words in order]
    assert places == sorted(places)
    assert page.index("What is right") < page.index("1. Softmax")
    assert 'mend <a href="#gaussian_weights">2. Gaussian weights</a> first' in page
    assert "Some <em>named</em> mistake" in page
    assert "Anna Öne (anna)" in page
    assert "sandbox" not in page
    link = "https://example.edu/x/lectures/01_nadaraya_watson.html#from-similarity-to-weights"
    section = exercises.find("gaussian_weights").section
    assert common.site_link(course, UNIT, "From similarity to weights") == link
    assert common.site_link(course, UNIT, section) in page


def test_sentences_are_set_and_escaped() -> None:
    said = common.inline("`a<b>` and *this*, not 2*3*4 or <i>")
    assert said == "<code>a&lt;b&gt;</code> and <em>this</em>, not 2*3*4 or &lt;i&gt;"
    assert common.inline("one ` only") == "one ` only"


def test_the_report_on_the_class_shows_everybody_and_what_to_say(course: Course) -> None:
    (course.root / "students.csv").write_text("student,name\nanna,Anna Öne\nzoe,Zoë Two\n")
    wrong = {"misconception": "missing-half", "title": "The `half` is missing", "message": "Why?"}
    for student in ("anna", "bea"):
        cells = (
            judged("gaussian_weights", 0.0, "failed", **wrong),
            judged("softmax", 1.0, "failed", message="it is *wrong*"),
        )
        hand_in(course, student, cells)
    (course.submitted / "zoe" / UNIT).mkdir(parents=True)
    problem = {"student": "zoe", "reason": "the file is not JSON"}
    taken.remember_problems(course, UNIT, [problem])
    feedback.build(course, UNIT)
    page = report.build(course).read_text()
    assert page.index("Three things to say tomorrow") < page.index("Scores")
    assert "2. Gaussian weights: The <code>half</code> is missing" in page
    assert "<strong>2</strong> of 2 students · 6 points of the class" in page
    assert "not graded: the file is not JSON" in page
    assert f'<a href="{UNIT}/anna.html">Anna Öne</a>' in page
    assert "Zoë Two" in page
    assert "Feedback for" not in page
    assert 'title="failed"' not in page


def test_what_to_say_is_what_cost_several_people_most(course: Course) -> None:
    made = {
        "anna": judged("softmax", 0.0, "not allowed", misconception="not-allowed", title="Rule"),
        "bea": judged("softmax", 0.0, "not allowed", misconception="not-allowed", title="Rule"),
        "cem": judged("leave_one_out_error", 0.0, "failed", misconception="dear", title="Dear"),
        "dora": judged("gaussian_weights", 2.0, "failed", misconception="cheap", title="Cheap"),
        "eli": judged("gaussian_weights", 2.0, "failed", misconception="cheap", title="Cheap"),
        "fay": judged("softmax", 0.0, "failed", misconception="both", title="Both"),
        "gus": judged("softmax", 0.0, "failed", misconception="both", title="Both"),
    }
    for student, cell in made.items():
        hand_in(course, student, (cell,))
    said = [each["mistake"].title for each in report.summary(course, UNIT)["say"]]
    assert said == ["Both", "Cheap", "Dear"]


def test_how_long_people_took_where_release_and_times_are_known(course: Course) -> None:
    settings = (course.root / "course.toml").read_text()
    opened = f'[open]\n"{UNIT}" = 2027-03-01T00:00:00+00:00'
    (course.root / "course.toml").write_text(re.sub(r"(?m)^\[open\].*$", opened, settings))
    course = Course(course.root)
    times = {"anna": 2, "bea": 4, "cem": 9, "dora": None, "eli": -1}
    everybody, graded = [], {}
    for n, (student, day) in enumerate(times.items()):
        cells = (CellResult("test_x", "x", "judged", float(n % 2), 1.0),)
        everybody.append(Result(student, UNIT, "f", 3, cells))
        came = datetime(2027, 3, 1, tzinfo=UTC) + timedelta(days=day) if day is not None else None
        told = HandIn(came, "told") if came is not None else HandIn()
        points, charge = Points(1.0, 1.0), Charge(0.0)
        graded[student] = Final(student, points, charge, Lateness(), told, {})
    found = report.days_taken(course, UNIT, everybody, graded)
    assert found == {
        "known": 3,
        "median": 4.0,
        "first": 2.0,
        "last": 9.0,
        "by": {"x": [4.0, 5.5]},  # bea solved it; anna and cem did not
    }
    assert report.days_taken(course, "02_dot_product_attention", everybody, graded) is None
    assert report.days_taken(course, UNIT, everybody, {"dora": graded["dora"]}) is None


def test_how_well_an_exercise_tells_strong_from_weak() -> None:
    def answered(solved: bool, rest: float) -> Result:
        cells = (
            CellResult("test_x", "x", "judged", 2.0 if solved else 0.0, 2.0),
            CellResult("test_y", "y", "judged", rest, 10.0),
        )
        return Result("s", UNIT, "f", 3, cells)

    strong = [answered(n > 4, n) for n in range(10)]
    against = [answered(n <= 4, n) for n in range(10)]
    assert report.discrimination(strong, "test_x") == pytest.approx(0.8704, abs=1e-4)
    assert report.discrimination(against, "test_x") == pytest.approx(-0.8704, abs=1e-4)
    assert report.discrimination([answered(True, n) for n in range(10)], "test_x") is None


def test_every_question_has_a_title_for_people(course: Course) -> None:
    from autograder.titles import questions, title

    for unit in exercises.units():
        asked = questions(course, unit.name)
        for name in [each.name for each in unit.exercises] or list(asked):
            found = title(course, unit.name, f"test_{name}")
            assert re.match(r"\d+\. \S", found), (unit.name, name, found)
            assert "_" not in found
            assert "`" not in found
            assert found == title(course, unit.name, name)
        titles = [asked[each.name].title for each in unit.exercises]
        assert len(set(titles)) == len(titles), "no two questions of a unit are called alike"
