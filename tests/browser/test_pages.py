"""The feedback pages and the report in a real browser: they work, and nothing of a submission runs
in them.
"""

import itertools
import json
import random
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.release import new_course
from autograder.course import Course
from autograder.grading.results import CaseResult, CellResult, LimitNote, Result, path_of
from autograder.pages import common, feedback, report
from course_utils import exercises
from course_utils.judging.exercise import Choice
from course_utils.judging.judge import LocalAttempt, judge

UNIT = "01_nadaraya_watson"
EVIL = (
    "<script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)></svg>' "
    "onmouseover='alert(4)"
)


def cell_of(exercise: Any, slug: str | None) -> CellResult:
    """A real verdict on a right or a wrong answer, as the grader stores it."""
    from course_utils.judging import card

    if isinstance(exercise, Choice):
        letter = (
            exercise.right
            if slug is None
            else next(letter for letter, o in exercise.options.items() if o.slug == slug)
        )
        verdict = judge(exercise, LocalAttempt(letter))
    else:
        answer = (
            exercise.reference
            if slug is None
            else next(m.variants[0] for m in exercise.misconceptions if m.slug == slug)
        )
        verdict = judge(exercise, LocalAttempt(answer))
    return CellResult(
        f"test_{exercise.name}",
        exercise.name,
        "judged",
        verdict.points,
        verdict.max_points,
        kind=exercise.kind,
        section=exercise.section,
        status=verdict.status,
        misconception=verdict.misconception,
        title=verdict.title,
        message=verdict.message,
        html=card.as_html(verdict),
        cases=tuple(CaseResult(**asdict(case)) for case in verdict.cases),
    )


def write_class(
    course: Course, students: list[str], hostile: str = "", unit_name: str = UNIT
) -> None:
    """Results and graded notebooks of a class, without running anybody's code."""
    random_ = random.Random(0)
    unit = exercises.unit(unit_name)
    ready = {
        exercise.name: [cell_of(exercise, None)]
        + [
            cell_of(exercise, slug)
            for slug in (
                [o.slug for o in exercise.options.values() if o.slug]
                if isinstance(exercise, Choice)
                else [m.slug for m in exercise.misconceptions if m.syntax is None][:4]
            )
        ]
        for exercise in unit.exercises
    }
    for student in students:
        cells = tuple(random_.choice(ready[exercise.name]) for exercise in unit.exercises)
        limits = (
            (LimitNote("cell_seconds", "softmax", f"no end within 30 s {hostile}"),)
            if random_.random() < 0.1 or hostile
            else ()
        )
        notes = (hostile,) if hostile else ()
        result = Result(
            student,
            unit_name,
            "f",
            3,
            cells,
            limits,
            notes=notes,
            repairs=notes,
            timestamp="2027-01-01 10:00:00 UTC",
            graded_at="now",
        )
        path = path_of(course.root, unit_name, student)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(result.to_json())
        notebook = {
            "cells": [
                {
                    "cell_type": "code",
                    "metadata": {"nbgrader": {"grade_id": exercise.name}},
                    "source": f"def {exercise.name}(x):\n    # {hostile}\n    return {hostile!r}",
                    "outputs": [
                        {"output_type": "stream", "name": "stdout", "text": hostile},
                        {
                            "output_type": "display_data",
                            "data": {"text/html": hostile, "image/svg+xml": hostile},
                            "metadata": {},
                        },
                        {
                            "output_type": "error",
                            "ename": hostile,
                            "evalue": hostile,
                            "traceback": [hostile],
                        },
                    ],
                }
                for exercise in unit.exercises
            ]
        }
        graded = course.autograded / student / unit_name / f"{unit_name}.ipynb"
        graded.parent.mkdir(parents=True, exist_ok=True)
        graded.write_text(json.dumps(notebook))


@pytest.fixture(scope="session")
def big(shared: Callable[..., Path]) -> Path:
    """The report on a class of 500, with the page of one of them."""

    def fill(folder: Path) -> None:
        course = new_course(folder)
        write_class(course, [f"student{i:03d}" for i in range(500)])
        feedback.build(course, UNIT, "student007")
        report.build(course)

    return common.report_path(Course(shared("big", fill).resolve()))


def test_a_class_of_500_can_be_sorted_filtered_and_followed(big: Path, page: Any) -> None:
    page.goto(big.as_uri())
    rows = page.locator("table.heat tbody tr")
    assert rows.count() == 500
    page.get_by_role("button", name="total").click()
    totals = [
        float(t) for t in page.locator("table.heat tbody tr td:nth-child(2)").all_inner_texts()
    ]
    assert totals == sorted(totals, reverse=True)
    page.get_by_role("button", name="total").click()
    totals = [
        float(t) for t in page.locator("table.heat tbody tr td:nth-child(2)").all_inner_texts()
    ]
    assert totals == sorted(totals)
    page.get_by_role("searchbox").fill("student007")
    assert page.locator("table.heat tbody tr:visible").count() == 1
    assert "1 of 500" in page.locator("output").inner_text()
    with page.expect_navigation():
        page.get_by_role("link", name="student007").click()
    assert "Feedback for student007" in page.locator("body").inner_text()
    page.go_back()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("checkbox").check()
    flagged = page.locator("table.heat tbody tr:visible").count()
    assert 0 < flagged < 500
    assert page.problems == []


def test_misconceptions_are_ranked(big: Path, page: Any) -> None:
    page.goto(big.as_uri())
    table = page.locator("table.grid").first
    counts = [int(t) for t in table.locator("tbody tr td:first-child").all_inner_texts()]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 1


def test_nothing_of_a_submission_runs(course: Course, page: Any) -> None:
    write_class(course, ["mallory", "<b>eve</b>&'\""], hostile=EVIL)
    for path in [*feedback.build(course, UNIT), report.build(course)]:
        page.goto(path.as_uri())
        for element in page.locator("details").all():
            element.evaluate("node => node.open = true")
        page.mouse.move(300, 300)
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == (1 if path.name == "report.html" else 0)
        assert page.evaluate(
            "[...document.querySelectorAll('*')].every(e => [...e.attributes].every(a => "
            "!a.name.startsWith('on')))"
        )
        assert page.problems == []
    assert "&lt;script&gt;alert(1)" in path.read_text() or "alert(1)" not in path.read_text()


def test_the_policy_forbids_scripts_that_are_not_the_pages_own(
    course: Course, page: Any, tmp_path: Path
) -> None:
    write_class(course, ["anna"])
    text = (
        report.build(course)
        .read_text()
        .replace("</body>", "<script>window.evil = 1</script></body>")
    )
    (tmp_path / "changed.html").write_text(text)
    page.goto((tmp_path / "changed.html").as_uri())
    assert page.evaluate("window.evil === undefined")
    assert any(
        "Content Security Policy" in problem or "Content-Security-Policy" in problem
        for problem in page.problems
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone(course: Course, page: Any, scheme: str) -> None:
    write_class(course, ["anna", "berta"])
    page.set_viewport_size({"width": 380, "height": 800})
    page.emulate_media(color_scheme=scheme)
    for path in [*feedback.build(course, UNIT), report.build(course)]:
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= 385"), path.name
        levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
        assert levels[0] == 1
        assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert page.problems == []


def test_feedback_shows_the_misconception_and_the_section(course: Course, page: Any) -> None:
    exercise = exercises.find("gaussian_weights")
    write_class(course, ["anna"])
    result = Result("anna", UNIT, "f", 3, (cell_of(exercise, "missing-half"),), graded_at="now")
    path_of(course.root, UNIT, "anna").write_bytes(result.to_json())
    page.goto(feedback.build(course, UNIT)[0].as_uri())
    body = page.locator("body").inner_text()
    assert "The factor 1/2 is missing" in body
    assert page.locator("svg[role=img]").count() == 2
    link = page.get_by_role("link", name=exercise.section).get_attribute("href")
    assert link.endswith(
        f"lectures/{UNIT}.ipynb#scrollTo={common.heading_cells(UNIT)[exercise.section]}"
    )
    assert "not right yet" in body
