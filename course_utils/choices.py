"""When a notebook says which choices are right: once all of them are decided.

Whoever gets a verdict for each letter at once tries letters. So a notebook tells nothing until
every choice of the unit has an answer; then it explains all of them. After that a new answer is
told when every choice that was wrong has got one.
"""

from collections.abc import Mapping
from typing import Any

from course_utils.judging.exercise import Choice, Unit

_told: dict[str, str] = {}  # by choice: the letter about which the notebook has said something


def letter_of(choice: Choice, answer: Any) -> str | None:
    """The option that an answer names, or None."""
    letter = answer.strip().lower() if isinstance(answer, str) else None
    return letter if letter in choice.options else None


def undecided(choice: Choice, unit: Unit, answers: Mapping[str, Any]) -> list[str]:
    """What must get a (new) answer before this choice is told; nothing where it was told already,
    or has no answer itself."""
    letter = letter_of(choice, answers.get(choice.name))
    if letter is None or _told.get(choice.name) == letter:
        return []
    return [
        other.name for other in _choices(unit) if other is not choice and _is_open(other, answers)
    ]


def _is_open(choice: Choice, answers: Mapping[str, Any]) -> bool:
    letter = letter_of(choice, answers.get(choice.name))
    return letter is None or (_told.get(choice.name) == letter and not choice.is_right(letter))


def told_with(choice: Choice, unit: Unit, answers: Mapping[str, Any]) -> list[Choice]:
    """The choices that are told together with this one, itself first; noted as told."""
    if letter_of(choice, answers.get(choice.name)) is None:
        return [choice]
    letters = {each.name: letter_of(each, answers.get(each.name)) for each in _choices(unit)}
    fresh = [
        each
        for each in _choices(unit)
        if each is not choice and letters[each.name] != _told.get(each.name)
    ]
    if _told.get(choice.name) == letters[choice.name]:
        fresh = []  # only looked at again
    for each in (choice, *fresh):
        _told[each.name] = letters[each.name] or ""
    return [choice, *fresh]


def _choices(unit: Unit) -> list[Choice]:
    return [each for each in unit.exercises if isinstance(each, Choice)]


def wait(choice: Choice, answer: Any, others: list[str]) -> str:
    """What is said instead of a verdict."""
    return (
        f"{choice.name}: your answer {letter_of(choice, answer)!r} is noted. Decide first, then "
        "look: which choices are right is said, with reasons, as soon as these have an answer"
        f"{' (a new one, where it was wrong)' if _told else ''}: {', '.join(others)}."
    )
