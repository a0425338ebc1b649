"""The demo hands in only attacks that the walls of this machine hold."""

import pytest

from autograder import demo
from autograder.authoring import simulate
from autograder.course import Course
from tests.autograder import classroom

UNIT = classroom.UNIT


@pytest.mark.parametrize("level", [3, 2, 1, 0])
def test_attacks_that_a_level_does_not_hold_are_left_out(level: int, course: Course) -> None:
    from autograder.authoring.release import release

    release(course, UNIT)
    made = simulate.simulate(course, UNIT, 30, hostile=True, level=level)
    handed_in = {each.kind for each in made} & set(simulate.ATTACKS)
    assert handed_in == {name for name, least in simulate.LEAST_LEVEL.items() if least <= level}
    assert ("fork bomb" in handed_in) == (level >= 1)
    assert ("calls home" in handed_in) == (level >= 2)


def test_an_endless_loop_does_not_hold_up_a_demo(course: Course) -> None:
    (course.root / "course.toml").write_text("[limits]\ncell_seconds = 30.0  # one cell\n")
    demo.limit_cells(course)
    assert Course(course.root).settings.limits.cell_seconds == demo.CELL_SECONDS


def test_every_attack_says_from_which_level_on_it_is_held() -> None:
    assert set(simulate.LEAST_LEVEL) == set(simulate.ATTACKS)
