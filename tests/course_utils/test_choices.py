"""Choices in a notebook: decide first, then look."""

from collections import Counter
from dataclasses import replace

import pytest

from course_utils import choices, exercises
from course_utils.judging import sealed
from course_utils.judging.exercise import Choice, Unit

UNITS = exercises.units()
UNIT = exercises.unit("01")
FIRST, SECOND, THIRD = (each for each in UNIT.exercises if isinstance(each, Choice))


@pytest.fixture(autouse=True)
def nothing_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choices, "_told", {})


def as_students_get_it(choice: Choice) -> Choice:
    """A choice as it stands in the student repository."""
    names: dict[str, Choice] = {}
    exec(sealed.source(choice), names)
    return names["EXERCISE"]


def wrong(choice: Choice, number: int = 0) -> str:
    return [letter for letter in choice.options if letter != choice.right][number]


def names(unit: Unit, choice: Choice, answers: dict[str, str]) -> list[str]:
    return [each.name for each in choices.told_with(choice, unit, answers)]


def test_nothing_is_told_before_all_are_decided() -> None:
    answers = {FIRST.name: FIRST.right, SECOND.name: "no letter"}
    assert choices.undecided(FIRST, UNIT, answers) == [SECOND.name, THIRD.name]


def test_an_answer_that_is_none_is_told_at_once() -> None:
    assert choices.undecided(FIRST, UNIT, {FIRST.name: "z"}) == []
    assert names(UNIT, FIRST, {FIRST.name: "z", SECOND.name: "a", THIRD.name: "a"}) == [FIRST.name]


def test_then_all_are_told_together_and_can_be_looked_at_again() -> None:
    answers = {each.name: wrong(each) for each in (FIRST, SECOND, THIRD)}
    assert choices.undecided(THIRD, UNIT, answers) == []
    assert names(UNIT, THIRD, answers) == [THIRD.name, FIRST.name, SECOND.name]
    assert choices.undecided(FIRST, UNIT, answers) == []
    assert names(UNIT, FIRST, answers) == [FIRST.name]


def test_letters_cannot_be_tried_one_by_one() -> None:
    answers = {FIRST.name: wrong(FIRST), SECOND.name: wrong(SECOND), THIRD.name: THIRD.right}
    choices.told_with(FIRST, UNIT, answers)
    answers[FIRST.name] = wrong(FIRST, 1)
    assert choices.undecided(FIRST, UNIT, answers) == [SECOND.name], "it was wrong and is the same"
    answers[SECOND.name] = SECOND.right
    assert choices.undecided(FIRST, UNIT, answers) == []
    assert names(UNIT, FIRST, answers) == [FIRST.name, SECOND.name]


def test_one_that_was_right_need_not_be_changed() -> None:
    answers = {FIRST.name: wrong(FIRST), SECOND.name: SECOND.right, THIRD.name: THIRD.right}
    choices.told_with(FIRST, UNIT, answers)
    answers[FIRST.name] = FIRST.right
    assert choices.undecided(FIRST, UNIT, answers) == []


def test_the_same_with_choices_as_students_get_them() -> None:
    first, second, third = closed = [as_students_get_it(each) for each in (FIRST, SECOND, THIRD)]
    unit = replace(UNIT, exercises=tuple(closed))
    answers = {FIRST.name: wrong(FIRST), SECOND.name: SECOND.right, THIRD.name: wrong(THIRD)}
    choices.told_with(first, unit, answers)
    answers[FIRST.name] = FIRST.right
    assert choices.undecided(first, unit, answers) == [THIRD.name], "it was wrong and is the same"
    answers[THIRD.name] = THIRD.right
    assert choices.undecided(first, unit, answers) == []
    assert names(unit, first, answers) == [FIRST.name, THIRD.name]
    assert choices.undecided(second, unit, answers) == choices.undecided(third, unit, answers) == []


# No option gives itself away ----------------------------------------------------------------------

CHOICES = [c for unit in exercises.units() for c in unit.exercises if isinstance(c, Choice)]


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.name)
def test_options_are_of_like_length(choice: Choice) -> None:
    lengths = [len(option.text) for option in choice.options.values()]
    assert max(lengths) <= 1.25 * min(lengths), lengths


def test_the_longest_option_is_not_the_right_one_more_often_than_by_chance() -> None:
    longest = [
        max(choice.options, key=lambda letter: len(choice.options[letter].text)) == choice.right
        for choice in CHOICES
    ]
    assert sum(longest) <= len(longest) / 3, f"{sum(longest)} of {len(longest)}"


def test_no_letter_is_right_much_more_often_than_another() -> None:
    counts = [sum(choice.right == letter for choice in CHOICES) for letter in "abcd"]
    assert max(counts) <= len(CHOICES) / 2, counts


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.name)
def test_nobody_is_sent_to_a_slide(choice: Choice) -> None:
    for option in choice.options.values():
        words = f"{option.text} {option.why}".lower()
        assert "slide" not in words
        assert "deck" not in words


def test_no_row_of_letters_is_a_good_guess() -> None:
    """Whoever gives the first choice of every unit the same letter, is wrong at least every other
    time; so for the second, and the third."""
    keys = [[each.right for each in unit.exercises if isinstance(each, Choice)] for unit in UNITS]
    for place in range(3):
        letters = Counter(key[place] for key in keys if len(key) > place)
        assert max(letters.values()) <= letters.total() / 2
