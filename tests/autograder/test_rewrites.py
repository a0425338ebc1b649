"""Right answers stay right in every style: wrapped, renamed, in other operations, in float64."""

from collections.abc import Iterator

import pytest
import torch

from autograder.authoring import attempts, rewrites, survivors
from course_utils import exercises
from course_utils.judging.exercise import Exercise

SOURCE = """
def dots(query, key):
    scores = query @ key.mT
    return scores.masked_fill(scores < 0, 0.0)
"""
UNITS = [unit.name for unit in exercises.units() if unit.exercises]


def rewritten(unit: str, some: bool) -> Iterator[tuple[str, Exercise, str]]:
    """Every right attempt of a unit in every style, or in some of them by turns."""
    found = exercises.unit(unit)
    right = [a for a in attempts.attempts(found) if a.right]
    for number, attempt in enumerate(right):
        exercise = exercises.find(attempt.exercise)
        if not isinstance(exercise, Exercise) or exercise.kind == "training":
            continue
        for turn, (style, rewrite) in enumerate(rewrites.REWRITES.items()):
            if some and (turn + number) % 7:
                continue
            if style == "float64 inside" and not takes_double(exercise, attempt.source):
                continue
            source = rewrite(attempt.source, exercise.name)
            if source is not None:
                yield f"{attempt.label}, {style}", exercise, source


def takes_double(exercise: Exercise, source: str) -> bool:
    """Does an answer run in float64 at all? Who mixes in float32 does not, and need not."""
    source = rewrites.REWRITES["float64 inside"](source, exercise.name) or ""
    target = survivors.answer(exercise, source)
    if target is None:
        return False
    asked = list(survivors.asked(exercise))
    faults = [survivors.first_fault(exercise, target, [pair]) or "" for pair in asked]
    return not any("dtype" in fault or "scalar type" in fault for fault in faults)


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS[::4])  # every style of all units: below
def test_a_right_answer_stays_right_in_another_style(unit: str) -> None:
    refused = [
        label
        for label, exercise, source in rewritten(unit, True)
        if not survivors.survives(exercise, source)
    ]
    assert not refused


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("unit", UNITS)
def test_a_right_answer_stays_right_in_every_style(unit: str) -> None:
    refused, judged = [], 0
    for label, exercise, source in rewritten(unit, False):
        judged += 1
        refused += [] if survivors.survives(exercise, source) else [label]
    assert not refused
    assert judged > 100


@pytest.mark.parametrize("style", rewrites.REWRITES)
def test_every_style_computes_the_same_in_other_words(style: str) -> None:
    source = rewrites.REWRITES[style](SOURCE, "dots")
    assert source is not None
    assert source != SOURCE
    first: dict[str, object] = {"torch": torch}
    other: dict[str, object] = {"torch": torch}
    exec(SOURCE, first)
    exec(source, other)
    query, key = torch.randn(2, 3, 4), torch.randn(2, 5, 4)
    torch.testing.assert_close(other["dots"](query, key), first["dots"](query, key))  # type: ignore[operator]
