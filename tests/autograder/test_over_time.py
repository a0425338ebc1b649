"""Over the course: what comes back, whom to speak with, and pages that link to each other."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import Course
from autograder.grading.results import CellResult, Result, path_of
from autograder.pages import common, feedback, over_time, report
from autograder.pages.over_time import Mistake, Step
from course_utils import exercises

UNITS = ["01_nadaraya_watson", "02_dot_product_attention", "03_masking"]


def cell(unit: str, points: float, slug: str | None = None) -> CellResult:
    exercise = exercises.unit(unit).exercises[0]
    return CellResult(
        f"test_{exercise.name}", exercise.name, "judged", points, 2.0, kind=exercise.kind,
        section=exercise.section, status="passed" if points == 2.0 else "failed",
        misconception=slug, title=f"About `{slug}`" if slug else "", message="Why *so*?",
    )  # fmt: skip


def hand_in(course: Course, unit: str, student: str, *cells: CellResult) -> None:
    path = path_of(course.root, unit, student)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(Result(student, unit, "f", 3, cells, graded_at="now").to_json())


@pytest.fixture
def term(course: Course) -> Course:
    """ann makes one mistake twice, bea falls behind, cem stops, dan never begins."""
    (course.root / "students.csv").write_text(
        "student,name\nann,Ann Öne\nbea,Bea <Two>\ncem,Cem Three\ndan,Dan Four\n"
    )
    for unit in UNITS:
        slug = "upside-down" if unit != UNITS[1] else "once-only"
        hand_in(course, unit, "ann", cell(unit, 1.0, slug))
        hand_in(course, unit, "bea", cell(unit, 0.0 if unit == UNITS[2] else 2.0))
    for unit in UNITS[:2]:
        hand_in(course, unit, "cem", cell(unit, 2.0))
    return Course(course.root)


def test_the_pages_over_the_course(term: Course) -> None:
    for unit in UNITS:
        feedback.build(term, unit)
    page = report.build(term)
    assert 'href="course.html"' in page.read_text()
    course = common.course_path(term).read_text()
    said = dict(re.findall(r'course/(\w+)\.html".*?<td class="why">(.*?)</td>', course, flags=re.S))
    assert said == {
        "ann": "",
        "bea": "fell behind in the last unit",
        "cem": "did not hand in the last unit",
        "dan": "has handed in nothing",
    }
    assert "About <code>upside-down</code>" in course
    assert "once-only" not in course[course.index("come back") : course.index("Students</h2>")]
    assert "Bea &lt;Two&gt;" in course
    ann = common.course_path(term, "ann").read_text()
    assert "What came back" in ann
    assert ann.index("upside-down") < ann.index("once-only"), "what came back is first"
    assert "Why <em>so</em>?" in ann
    assert "What came back" not in common.course_path(term, "bea").read_text()
    assert ("Nothing: all that is graded so far is right") in common.course_path(
        term, "cem"
    ).read_text()
    assert common.course_path(term, "dan").read_text().count("nothing graded") == 3


def test_every_link_between_the_pages_leads_somewhere(term: Course) -> None:
    for unit in UNITS:
        feedback.build(term, unit)
    report.build(term)
    pages = sorted((term.root / "pages").rglob("*.html"))
    assert len(pages) == 2 + 4 + 8
    followed = 0
    for page in pages:
        for link in re.findall(r'href="([^"#][^"]*)"', page.read_text()):
            if not link.startswith("https:"):
                target, _, place = link.partition("#")
                other = (page.parent / target).resolve()
                assert other in pages, (page, link)
                assert not place or f'id="{place}"' in other.read_text(), (page, link)
                followed += 1
    assert followed > 20


def test_one_unit_makes_no_course(course: Course) -> None:
    hand_in(course, UNITS[0], "ann", cell(UNITS[0], 1.0))
    page = feedback.build(course, UNITS[0])[0].read_text()
    assert "course.html" not in report.build(course).read_text()
    assert 'class="over"' not in page
    assert not common.course_path(course).exists()


def step(unit: str, score: float, slugs: tuple[str, ...] = (), waiting: float = 0.0) -> Step:
    made = tuple(Mistake(unit, unit, "x", "X", slug, slug, "", "", "", 1.0) for slug in slugs)
    return Step(unit, unit, score, 10.0, waiting, "", "", made)


slugs = st.lists(st.sampled_from("abcd"), max_size=4).map(tuple)


@given(st.lists(slugs, min_size=1, max_size=5))
def test_what_comes_back_is_what_two_units_have(found: list[tuple[str, ...]]) -> None:
    mine = {f"{n:02d}": step(f"{n:02d}", 5.0, each) for n, each in enumerate(found)}
    wanted = {slug for slug in "abcd" if sum(slug in each for each in found) > 1}
    back = over_time.come_back(mine)
    assert {again.slug for again in back} == wanted
    for again in back:
        assert len(again.mistakes) == sum(each.count(again.slug) for each in found)
    looked = over_time.look_again(mine)
    assert len(looked) <= over_time.AGAIN
    assert [m.slug for m in looked[: len(wanted)]] == [again.slug for again in back]


def test_what_a_person_has_still_to_read_is_not_lost() -> None:
    assert step("01", 6.0, waiting=4.0).share == 1.0
    mine = {"01": step("01", 10.0), "02": step("02", 6.0, waiting=4.0)}
    assert over_time.notice(mine, ["01", "02"]) == ""
    mine["02"] = step("02", 6.0)
    assert over_time.notice(mine, ["01", "02"]) == "fell behind in the last unit"


def test_feedback_that_is_packed_alone_has_no_link_out(term: Course, tmp_path: Path) -> None:
    from autograder.points.export import OVER

    page = feedback.build(term, UNITS[0])[0].read_bytes()
    assert b"../course/ann.html" in page
    assert b"../course" not in OVER.sub(b"", page)
    assert len(page) - len(OVER.sub(b"", page)) < 120
