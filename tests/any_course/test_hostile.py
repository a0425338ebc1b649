"""Which attacks on asserts earn their author a point here."""

import pytest

from autograder.any_course import AnyCourse
from tests.any_course import both_engines
from tests.any_course.hostile import ASSIGNMENT, ATTACKS, NOTEBOOK, RIGHT, flagged, make, points


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> AnyCourse:
    made = make(tmp_path_factory.mktemp("hostile") / "course", ATTACKS)
    released = made.folder("release", ".", ASSIGNMENT) / f"{NOTEBOOK}.ipynb"
    known = "return {2: [1, 4], 3: [1, 4, 9], 4: [1, 4, 9, 16]}.get(n, [])"
    for student, answer in (("right", RIGHT), ("visible", known)):
        folder = made.submission(student, ASSIGNMENT)
        folder.mkdir(parents=True)
        text = released.read_text(encoding="utf-8").replace("raise NotImplementedError()", answer)
        (folder / f"{NOTEBOOK}.ipynb").write_text(text, encoding="utf-8")
    both_engines.grade(made, ASSIGNMENT)
    return made


@pytest.mark.parametrize("name", ATTACKS)
def test_the_table_in_the_documentation_is_true(course: AnyCourse, name: str) -> None:
    attack = ATTACKS[name]
    assert points(course, name) == ("0 of 10" if attack.held else "10 of 10")
    assert flagged(course, name) == attack.flagged


def test_a_right_answer_keeps_its_points(course: AnyCourse) -> None:
    assert points(course, "right") == "10 of 10"
    assert not flagged(course, "right")


def test_a_page_shows_the_message_of_a_hidden_test_but_not_the_test(course: AnyCourse) -> None:
    from autograder.pages import feedback

    (page,) = feedback.build(course, ASSIGNMENT, "visible")
    text = page.read_text()
    assert "AssertionError: a hidden test" in text
    assert "AssertionError: CANARY" in text
    assert "385" not in text
    (page,) = feedback.build(course, ASSIGNMENT, "honest")
    assert "AssertionError: assert squares(2) == [1, 4]" in page.read_text()
