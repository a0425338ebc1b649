"""No card shows an input that the text of its exercise rules out."""

import re
from pathlib import Path
from typing import Any

import pytest

from autograder.authoring.attempts import attempts, judge_source
from course_utils import exercises
from course_utils.judging import judge as judging
from course_utils.judging.exercise import Case, Exercise
from course_utils.judging.judge import cases_of
from course_utils.judging.promises import Promise
from course_utils.judging.shrink import Found

SOLUTIONS = Path(__file__).parents[2] / "solutions"
ALL = [e for unit in exercises.units() for e in unit.exercises if isinstance(e, Exercise)]
PROMISING = [exercise for exercise in ALL if exercise.promised is not None]
# Side conditions of a text, as they are worded in the course.
WORDED = re.compile(
    r"and `pad` differ|`eos` are different|rows that sum to one|is at least 1\b|with K ≥ 2"
    r"|`(?:dim|d)` is even|at least one token of the batch|There is always at least one"
    r"|\(larger than 0\)|is one positive number|equally likely|allows at least one key"
)


def texts() -> dict[str, str]:
    """What stands before each answer cell, in one line."""
    found = {}
    for file in sorted(SOLUTIONS.glob("*.py")):
        for part in file.read_text(encoding="utf-8").split("# %% [markdown]")[1:]:
            for name in re.findall(r'"grade_id": "(\w+)"', part)[:1]:
                found[name] = " ".join(re.sub(r"^# ?", "", part, flags=re.M).split())
    return found


def test_what_a_text_promises_the_judge_knows() -> None:
    worded = {name for name, text in texts().items() if WORDED.search(text)}
    assert len(worded) >= 10
    assert worded <= {exercise.name for exercise in PROMISING}


def promise(exercise: Exercise) -> Promise:
    assert exercise.promised is not None
    return exercise.promised


@pytest.mark.parametrize("exercise", PROMISING, ids=lambda exercise: exercise.name)
@pytest.mark.parametrize("seed", [judging.VISIBLE_SEED, 1, 2, 3])
def test_every_case_keeps_the_promise(exercise: Exercise, seed: int) -> None:
    cases = [case for case in cases_of(exercise, seed) if case.raises is None]
    assert [case.label for case in cases if not promise(exercise)(case)] == []


@pytest.mark.slow
@pytest.mark.parametrize("exercise", PROMISING, ids=lambda exercise: exercise.name)
def test_every_case_that_a_card_shows_keeps_the_promise(
    exercise: Exercise, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, Case]] = []
    rows = judging._counterexample

    def recorded(exercise: Exercise, found: Found, original: Found) -> Any:
        if found.case.raises is None:
            shown.append((found.message, found.case))
        return rows(exercise, found, original)

    monkeypatch.setattr(judging, "_counterexample", recorded)
    bank = attempts(exercises.unit_of(exercise.name))
    wrong = [each for each in bank if each.exercise == exercise.name and not each.right]
    for attempt in wrong[: 4 if exercise.kind == "module" else None]:  # blocks take their time
        judge_source(exercise, attempt.source, attempt.label)
    assert shown
    assert [message for message, case in shown if not promise(exercise)(case)] == []
