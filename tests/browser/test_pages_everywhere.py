"""Every page of a class by day and by night, on a desk, on a phone and on paper, and by the rules
of axe-core."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.release import new_course
from autograder.collecting import taken
from autograder.course import Course
from autograder.grading import results
from autograder.grading.results import LimitNote
from autograder.pages import common, feedback, report
from autograder.points.changes import Change
from tests.browser.axe import CONTRAST, violations
from tests.browser.test_pages import UNIT, write_class

UNITS = (UNIT, "03_masking")
PHONE, DESK, PAPER = 375, 1280, 718  # paper: A4 without its margins, at 96 dots per inch
LONG = "Maximiliana Wolkensteinhausen-Überreiterin von und zu Oberunterbergtalheim"
CHANGE = "graded again; 1. Softmax from 0 to 3; 2. Gaussian weights stays 3, though it would be 1"
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
PAGES = ("student", "report", "class", "course of a student", "changes")


STUDENTS = [f"student{n:03d}" for n in range(25)]


def write_pages(folder: Path) -> None:
    """A class with everything that a page can show."""
    course, students = new_course(folder), STUDENTS
    (course.root / "students.csv").write_text(f"student,name\n{students[0]},{LONG}\nzoe,Zoe\n")
    for unit in UNITS:
        write_class(course, students, unit_name=unit)
        nameless(course, unit, students[:6])
        (course.submitted / "zoe" / unit).mkdir(parents=True)
        taken.remember_problems(course, unit, [{"student": "zoe", "reason": "not JSON " * 20}])
        told = {
            s: asdict(Change(s, 3.0, 6.0, CHANGE, "2027-03-01 10:00 UTC")) for s in students[:9]
        }
        path = course.root / "runs" / "changes" / f"{unit}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(told))
    for unit in UNITS:
        feedback.build(course, unit)
    report.build(course)


@pytest.fixture(scope="session")
def pages(shared: Callable[..., Path]) -> dict[str, str]:
    """Page -> its address."""
    course = Course(shared("pages", write_pages).resolve())
    where = common.report_path(course)
    return {
        "student": common.feedback_path(course, UNIT, STUDENTS[0]).as_uri(),
        "report": where.as_uri(),
        "class": common.course_path(course).as_uri(),
        "course of a student": common.course_path(course, STUDENTS[0]).as_uri(),
        "changes": f"{where.as_uri()}#changes-{UNIT}",
    }


def nameless(course: Course, unit: str, students: list[str]) -> None:
    """Some answers are wrong without a name, and some hit a limit."""
    for n, student in enumerate(students):
        found = results.read(course.root, unit, student)
        assert found is not None
        first = replace(
            found.cells[0], points=0.0, status="failed", misconception=None, title="",
            message=f"For the case “{n % 2} rows”: 35 of 35 values differ.", cases=(),
        )  # fmt: skip
        limits = (LimitNote("cell_seconds", first.name, "no end within 30 s"),)
        changed = replace(found, cells=(first, *found.cells[1:]), limits=limits)
        results.path_of(course.root, unit, student).write_bytes(changed.to_json())


def opened(browser: Any, address: str, width: int, scheme: str, media: str = "screen") -> Any:
    """A page with everything unfolded."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.emulate_media(media=media, color_scheme=scheme)
    page.goto(address)
    if media == "screen":
        page.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))")
    return page


WIDER = """() => {
  const hides = (e) => ["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX);
  const inside = (e) => e.parentElement && (hides(e.parentElement) || inside(e.parentElement));
  return [...document.querySelectorAll("main *")]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !inside(e))
    .map((e) => e.outerHTML.slice(0, 120)).slice(0, 5);
}"""


@pytest.mark.parametrize(
    ("width", "scheme", "then"), [(DESK, "light", "dark"), (PHONE, "dark", "")]
)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(
    name: str, width: int, scheme: str, then: str, pages: dict[str, str], browser: Any
) -> None:
    page = opened(browser, pages[name], width, scheme)
    assert violations(page) == []
    if then:
        before = page.evaluate(BACKGROUND)
        page.emulate_media(color_scheme=then)
        assert page.evaluate(BACKGROUND) != before
        assert violations(page, CONTRAST) == []
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_the_screen(
    name: str, width: int, scheme: str, pages: dict[str, str], browser: Any
) -> None:
    page = opened(browser, pages[name], width, scheme)
    assert page.evaluate(WIDER) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_on_paper_nothing_is_hidden_and_ink_is_dark(
    name: str, pages: dict[str, str], browser: Any
) -> None:
    page = opened(browser, pages[name], PAPER, "dark", "print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(31, 35, 40)"
    folded = "[...document.querySelectorAll('details:not([open]) > :last-child')]"
    assert page.evaluate(f"{folded}.every((e) => e.getBoundingClientRect().height > 0)")
    cut = (
        "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollHeight > "
        "e.clientHeight + 1)"
    )
    assert page.evaluate(f"{cut}.length") == 0
    assert page.locator("nav:visible, .controls:visible").count() == 0
    assert len(page.pdf(format="A4")) > 10_000
    page.close()


def test_what_a_page_is_about_is_said_in_words(pages: dict[str, str], browser: Any) -> None:
    """Titles instead of names of functions, and no word of the grader's own language."""
    from course_utils import exercises

    names = {each.name for unit in UNITS for each in exercises.unit(unit).exercises}
    for name in ("student", "report", "class", "course of a student"):
        page = opened(browser, pages[name], DESK, "light")
        heads = page.locator("h1, h2, h3, h4, th, summary, nav li").all_inner_texts()
        for head in heads:
            assert not names & {word.strip(":.,()") for word in head.split() if "_" in word}, head
        words = page.locator("body").inner_text()
        for jargon in ("sandbox", "slug", "grade_id", "test_softmax"):
            assert jargon not in words, (name, jargon)
        page.close()


def test_a_class_of_500_can_be_used(tmp_path: Path, browser: Any) -> None:
    """How soon is measured by `python -m tools.bench.paint`."""
    course = new_course(tmp_path / "course")
    students = [f"student{n:03d}" for n in range(500)]
    for unit in UNITS:
        write_class(course, students, unit_name=unit)
    feedback.build(course, UNIT, students[7])
    where = report.build(course)
    for path in (where, common.course_path(course)):
        page = browser.new_page(viewport={"width": DESK, "height": 900})
        page.goto(path.as_uri(), wait_until="load")
        page.locator("table.heat button").first.click()
        assert page.locator("table.heat").first.locator("tbody tr").count() == 500
        page.close()
