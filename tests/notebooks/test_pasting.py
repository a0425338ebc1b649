"""Pasting a lecture into its assignment earns little: at most a fifth of the points for code."""

import ast

import pytest

from course_utils import exercises
from course_utils.judging.exercise import Exercise, Unit
from tests.notebooks.pasting import Paste, paste_at, pasted

SHARE = 1 / 5
UNITS = [unit for unit in exercises.units() if unit.exercises]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_pieces_of_a_lecture_earn_little(unit: Unit, capsys: pytest.CaptureFixture[str]) -> None:
    pastes = pasted(unit)
    got, most = sum(p.points for p in pastes), sum(p.exercise.points for p in pastes)
    pieces = sum(len(paste.seen) for paste in pastes)
    with capsys.disabled():
        print(f"\n{unit.name}: {pieces} pieces earn {got:g} of {most:g} points for code")
    assert got <= SHARE * most, [(p.exercise.name, p.points, p.source) for p in pastes if p.points]


def pasted_at(name: str, *cells: str) -> Paste:
    exercise = exercises.find(name)
    assert isinstance(exercise, Exercise)
    return paste_at(exercises.unit_of(name), exercise, [ast.parse(cell).body for cell in cells])


MINUS = "shifted = table - table.amax(axis, keepdim=True)"


@pytest.mark.parametrize(
    "cell",
    [
        "def stable(s, axis=-1):\n"
        "    e = (s - s.amax(axis, keepdim=True)).exp()\n"
        "    return e / e.sum(axis, keepdim=True)",
        "f = lambda s, dim=-1: (s - s.logsumexp(dim, keepdim=True)).exp()",
        f"{MINUS}\npowers = shifted.exp()\nshares = powers / powers.sum(axis, keepdim=True)",
        f"print(1)\n{MINUS}\nshifted.exp() / shifted.exp().sum(axis, keepdim=True)",
    ],
    ids=["function", "lambda", "statements", "the end of a cell"],
)
def test_a_lecture_that_prints_the_answer_is_found(cell: str) -> None:
    assert pasted_at("softmax", "x = 1", cell).points == 3


def test_two_results_are_found() -> None:
    cell = "w = gaussian_weights(towns, known, width)\nguess = w @ profit"
    assert pasted_at("nadaraya_watson", cell).points == 3


def test_the_body_of_a_class_is_found() -> None:
    cell = "inside = layer.inner(words)\nlayer.outer(inside.relu())"
    assert pasted_at("FeedForward", cell).points == 2


def test_what_is_not_the_answer_earns_nothing() -> None:
    assert pasted_at("softmax", "e = s.exp()\ne / e.sum(d)", "g = lambda s, dim: s").points == 0
