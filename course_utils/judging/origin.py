"""Is an answer the student's own, or the course's reference under any name?"""

import functools
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, ModuleType
from typing import Any

from course_utils.judging.exercise import Exercise

PACKAGE = "course_utils"
PASSED_ON = 10  # wrappers around wrappers that are looked through


def is_the_courses(answer: Any, exercise: Exercise) -> bool:
    """Is this the reference itself (renamed, wrapped, inherited), or code that only reaches for it?

    Behind the walls the reference cannot be imported: there such an answer is a NameError.
    """
    answer = unwrapped(answer)
    if isinstance(answer, type):
        return _inherits(answer, exercise) or any(
            _reaches(method, exercise) for method in _functions(answer)
        )
    if _of_the_package(answer):
        return True
    return _reaches(answer, exercise) if inspect.isfunction(answer) else False


def unwrapped(answer: Any) -> Any:
    """What is inside partials, bound methods and decorators that say what they wrap."""
    for _ in range(PASSED_ON):
        inner = (
            answer.func
            if isinstance(answer, functools.partial)
            else getattr(answer, "__func__", None) or getattr(answer, "__wrapped__", None)
        )
        if inner is None:
            break
        answer = inner
    return answer


def _of_the_package(answer: Any) -> bool:
    module = getattr(answer, "__module__", None) or getattr(type(answer), "__module__", "")
    return isinstance(module, str) and module.split(".")[0] == PACKAGE


def _inherits(answer: type, exercise: Exercise) -> bool:
    return _of_the_package(answer) or exercise.reference in answer.__mro__


def _functions(answer: type) -> Iterator[Callable[..., Any]]:
    return (value for value in vars(answer).values() if inspect.isfunction(value))


def _reaches(function: Callable[..., Any], exercise: Exercise) -> bool:
    """Does the code name the reference: by a variable that holds it, or through its module?"""
    names = set(_names(function.__code__))
    seen = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    held = [seen[name] for name in names if name in seen]
    if any(unwrapped(value) is unwrapped(exercise.reference) for value in held):
        return True
    home = exercise.reference.__module__
    through_a_module = home in names or any(
        isinstance(value, ModuleType) and value.__name__ in (home, PACKAGE) for value in held
    )
    return through_a_module and exercise.reference.__name__ in names


def _names(code: CodeType) -> Iterator[str]:
    """Names that the code and functions within it use, those of imports among them."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
