"""Wrong answers whose mistake has no name yet, grouped by how they behave: what the judge says of
them on the cases that everybody sees."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from autograder.course import Course
from autograder.grading import results
from autograder.grading.results import CellResult, Result
from autograder.pages import common

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")
PLACE = re.compile(r"\bline \d+")  # of an error: equal mistakes may stand in other lines
Behaviour = tuple[tuple[str, str, bool, str], ...]


@dataclass(frozen=True)
class Group:
    """Answers to one exercise that are wrong in the same way."""

    number: int  # in its unit: most students first
    exercise: str
    students: tuple[str, ...]
    code: str  # the shortest of these answers
    said: str  # by the judge, of the first case that fails


def groups(course: Course, unit: str, everybody: Iterable[Result]) -> list[Group]:
    """The wrong answers without a name; those that behave alike are one group."""
    alike: dict[tuple[str, Behaviour], list[str]] = defaultdict(list)
    said: dict[tuple[str, Behaviour], str] = {}
    for result in everybody:
        for cell in result.cells:
            if cell.exercise is not None and is_unnamed(cell):
                key = (cell.exercise, behaviour(cell))
                alike[key].append(result.student)
                said[key] = next((c.message for c in cell.cases if c.message), cell.message)
    ordered = sorted(alike, key=lambda key: (-len(alike[key]), key[0], alike[key]))
    found = []
    for number, key in enumerate(ordered, start=1):
        exercise, students = key[0], alike[key]
        code = _shortest(course, unit, students, exercise)
        found.append(Group(number, exercise, tuple(students), code, said[key]))
    return found


def graded(course: Course, unit: str) -> list[Result]:
    """What is known of everybody who is graded in a unit."""
    paths = sorted((course.root / "runs" / "results" / unit).glob("*.json"))
    found = (results.read(course.root, unit, path.stem) for path in paths)
    return [result for result in found if result is not None]


def is_unnamed(cell: CellResult) -> bool:
    """Was the answer judged to be wrong, in a way that no misconception describes?"""
    return cell.how == "judged" and cell.status == "failed" and not cell.misconception


def behaviour(cell: CellResult) -> Behaviour:
    """What the answer does on the cases that everybody sees: equal for equal outcomes. Numbers are
    rounded, since the last digits depend on the order of operations."""
    shown = [case for case in cell.cases if case.visible]
    told = tuple((case.label, case.group, case.passed, _rounded(case.message)) for case in shown)
    return told or (("", "", False, _rounded(cell.message)),)


def _rounded(message: str) -> str:
    return NUMBER.sub(lambda found: f"{float(found[0]):.3g}", PLACE.sub("line", message))


def _shortest(course: Course, unit: str, students: Iterable[str], exercise: str) -> str:
    codes = (
        common.source(common.answers(course, unit, each).get(exercise)).strip() for each in students
    )
    return min((code for code in codes if code), key=len, default="")
