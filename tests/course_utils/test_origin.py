"""The course's own reference is no answer, under whatever name and wrapper it is handed in."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

import pytest

from autograder.authoring.attempts import attempts, judge_source, namespace
from course_utils import check, exercises
from course_utils.check import Result
from course_utils.judging.exercise import Exercise
from course_utils.judging.origin import is_the_courses

EXERCISES = [e for unit in exercises.units() for e in unit.exercises if isinstance(e, Exercise)]


def imported(exercise: Exercise) -> Any:
    """What `from course_utils.UNIT import NAME` gives, or what the exercise itself holds."""
    module = importlib.import_module(f"course_utils.{exercises.unit_of(exercise.name).module}")
    return getattr(module, exercise.name, exercise.reference)


def hidden_in_a_function(reference: Any) -> Callable[..., Any]:
    alias = reference

    def answer(*args: Any, **kwargs: Any) -> Any:
        return alias(*args, **kwargs)

    return answer


def inheriting(reference: Any) -> Any:
    if not isinstance(reference, type):
        return functools.wraps(reference)(lambda *args: reference(*args))
    return type(reference.__name__, (reference,), {"__module__": "__main__"})


DISGUISES: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda reference: reference,
    "partial": lambda reference: functools.partial(functools.partial(reference)),
    "a function around it": hidden_in_a_function,
    "a subclass, or a decorated copy": inheriting,
}


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_check_of_the_reference_gives_nothing(
    exercise: Exercise, disguise: Callable[[Any], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    result = check(disguise(imported(exercise)), exercise.name)
    assert isinstance(result, Result)
    assert repr(result) == "0.0"
    assert result.verdict.misconception == "the-reference"
    assert "not your answer" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "source",
    [
        "from course_utils.masking import masked_softmax",
        "from course_utils.masking import masked_softmax as given\nmasked_softmax = given",
        "from course_utils import masking\n"
        "def masked_softmax(scores, mask):\n    return masking.masked_softmax(scores, mask)",
        "def masked_softmax(scores, mask):\n"
        "    from course_utils.masking import masked_softmax as given\n"
        "    return given(scores, mask)",
        "import course_utils.masking\n"
        "masked_softmax = lambda s, m: course_utils.masking.masked_softmax(s, m)",
    ],
)
def test_an_author_who_tries_the_reference_is_told(source: str) -> None:
    verdict = judge_source(exercises.find("masked_softmax"), source)
    assert (verdict.points, verdict.misconception) == (0.0, "the-reference")


def test_no_attempt_of_the_bank_is_taken_for_the_reference() -> None:
    for unit in exercises.units():
        for attempt in attempts(unit):
            exercise = exercises.find(attempt.exercise)
            if isinstance(exercise, Exercise) and attempt.slug != "the-reference":
                names = namespace(unit)
                names.pop(exercise.name, None)
                try:
                    exec(compile(attempt.source, attempt.label, "exec"), names)
                except Exception:
                    continue
                assert not is_the_courses(names.get(exercise.name), exercise), attempt.label
