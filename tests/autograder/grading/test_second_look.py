"""Behind the walls: a right answer is not punished for a wrong one before it, what answers the
stand-ins' questions gives nothing away, and the course's own code is no answer."""

from collections.abc import Iterator

import pytest

from autograder.course import Limits
from autograder.grading.judging import GradedNotebook, grade_cells
from autograder.grading.launch import Launcher, open_sandbox
from autograder.grading.prepare import Cell, SourceCell
from autograder.grading.session import Session
from course_utils import check, exercises
from course_utils.check import _seen
from course_utils.judging.exercise import Exercise
from tests.course_utils.test_stand_in import PAIRS, notebook, solution, wrong_answers

pytestmark = pytest.mark.sandbox
IMPORTS = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn"
SIGMOID = "def softmax(scores, dim=-1):\n    return scores.sigmoid()"


@pytest.fixture(scope="module")
def launchers() -> Iterator[dict[str, Launcher]]:
    opened = {}

    class Opened(dict[str, Launcher]):
        def __missing__(self, unit: str) -> Launcher:
            opened[unit], _ = open_sandbox(unit, 1)
            self[unit] = opened[unit].launcher
            return self[unit]

    yield Opened()
    for sandbox in opened.values():
        sandbox.close()


def check_cell(name: str) -> Cell:
    points = exercises.find(name).points
    mark = SourceCell(f"test_{name}", "code", "", True, "", True, False, False, points)
    return Cell("code", f"check({name})", mark)


def graded(launcher: Launcher, unit: str, *parts: str) -> GradedNotebook:
    """A notebook of answers; a part that is the name of an exercise is its test."""
    names = {exercise.name for exercise in exercises.unit(unit).exercises}
    cells = [check_cell(part) if part in names else Cell("code", part) for part in parts]
    limits = Limits()
    session = Session(lambda: launcher.launch(limits), limits)
    try:
        return grade_cells(cells, exercises.unit(unit), "secret", session)
    finally:
        session.close()


def points(notebook: GradedNotebook) -> dict[str, float | None]:
    return {str(result.exercise): result.points for result in notebook.results}


def imports(unit: str) -> str:
    """What the assignment imports of earlier units."""
    modules = [each.module for each in exercises.units() if each.name < unit]
    return "\n".join([IMPORTS, *(f"from course_utils.{name} import *" for name in modules)])


def before(later: str) -> list[str]:
    """The exercises before this one that are code."""
    names = [e.name for e in exercises.unit_of(later).exercises if isinstance(e, Exercise)]
    return names[: names.index(later)]


@pytest.mark.parametrize(("earlier", "later"), PAIRS)
def test_a_right_answer_gets_its_points(
    launchers: dict[str, Launcher], earlier: str, later: str
) -> None:
    unit = exercises.unit_of(later).name
    wrong = wrong_answers(earlier)[0]
    solved = [solution(name) for name in before(later) if name != earlier]
    parts = (imports(unit), *solved, wrong, earlier, solution(later), later)
    done = graded(launchers[unit], unit, *parts)
    first, second = done.results
    assert first.points < first.max_points  # type: ignore[operator]
    assert second.points == second.max_points, second.text
    assert done.problems == []
    # the same in a notebook, without walls
    names = notebook(later, wrong, solution(later))
    _seen.clear()
    check(names[earlier], earlier)
    assert check(names[later], later).points == second.points  # type: ignore[union-attr]


def test_mistakes_are_followed_to_where_they_come_from(launchers: dict[str, Launcher]) -> None:
    unit = "01_nadaraya_watson"
    parts = [IMPORTS, SIGMOID, "softmax", solution("gaussian_weights"), "gaussian_weights"]
    parts += [solution("nadaraya_watson"), "nadaraya_watson"]
    done = graded(launchers[unit], unit, *parts)
    assert points(done) == {"softmax": 0.0, "gaussian_weights": 3.0, "nadaraya_watson": 3.0}
    assert "comes from your `softmax`" in done.results[2].text


def test_its_own_mistake_still_costs(launchers: dict[str, Launcher]) -> None:
    unit = "03_masking"
    wrong = next(w for w in wrong_answers("masked_attention") if "masked_softmax(" in w)
    parts = (imports(unit), wrong_answers("masked_softmax")[0], "masked_softmax")
    done = graded(launchers[unit], unit, *parts, wrong, "masked_attention")
    assert done.results[1].points < done.results[1].max_points  # type: ignore[operator]


def test_before_an_exercise_is_judged_nothing_answers_for_it(
    launchers: dict[str, Launcher],
) -> None:
    unit = "01_nadaraya_watson"
    parts = (IMPORTS, SIGMOID, solution("gaussian_weights"), "gaussian_weights", "softmax")
    assert points(graded(launchers[unit], unit, *parts)) == {
        "gaussian_weights": 0.0,
        "softmax": 0.0,
    }


STASH = """
kept = {}
def gaussian_weights(queries, keys, bandwidth):
    kept["softmax"] = softmax  # the stand-in, when this is judged a second time
    return softmax(-((queries[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2), -1)
"""
USES_THE_STASH = """
def leave_one_out_error(keys, values, bandwidth):
    scores = -((keys[:, None] - keys[None, :]) ** 2) / (2 * bandwidth**2)
    scores = scores.masked_fill(torch.eye(len(keys), dtype=torch.bool), float("-inf"))
    return ((kept["softmax"](scores, -1) @ values - values) ** 2).mean()
"""
AGENT = """
import gc
agent = next(each for each in gc.get_objects() if type(each).__name__ == "Agent")
"""
ASKS_FOR_ITSELF = (
    AGENT
    + """
def leave_one_out_error(keys, values, bandwidth):
    softmax(keys)  # so that there is a second look
    question = {"args": (keys, values, bandwidth), "kwargs": {}, "state": {}}
    return agent._asked({"name": "leave_one_out_error", **question})["value"]
"""
)
ASKS_WITHOUT_END = """
def leave_one_out_error(keys, values, bandwidth):
    while True:
        softmax(keys)
"""
ASKS_TOO_MUCH = """
def leave_one_out_error(keys, values, bandwidth):
    return softmax(torch.zeros(30_000_000))[0]
"""
NO_QUESTION = (
    AGENT
    + """
def leave_one_out_error(keys, values, bandwidth):
    softmax(keys)
    return agent._asked({"name": ["softmax"], "args": 3})["value"]
"""
)
ASKS_UNASKED = (
    AGENT
    + """
question = {"name": "softmax", "args": (torch.zeros(3),), "kwargs": {}, "state": {}}
def leave_one_out_error(keys, values, bandwidth):
    agent._asked(question)  # also in the first look, where nobody answers
"""
)


@pytest.mark.parametrize(
    "hostile", [ASKS_FOR_ITSELF, ASKS_WITHOUT_END, ASKS_TOO_MUCH, NO_QUESTION, ASKS_UNASKED]
)
def test_who_abuses_the_questions_earns_nothing(
    launchers: dict[str, Launcher], hostile: str
) -> None:
    unit = "01_nadaraya_watson"
    parts = (IMPORTS, SIGMOID, "softmax", hostile, "leave_one_out_error")
    done = graded(launchers[unit], unit, *parts, solution("nadaraya_watson"), "nadaraya_watson")
    assert points(done)["leave_one_out_error"] == 0.0
    assert done.problems == []


def test_a_stand_in_that_was_kept_answers_nothing_later(launchers: dict[str, Launcher]) -> None:
    """It was handed out for one exercise; in another one only its own stand-ins are answered."""
    unit = "01_nadaraya_watson"
    parts = (IMPORTS, SIGMOID, "softmax", STASH, "gaussian_weights")
    done = graded(launchers[unit], unit, *parts, USES_THE_STASH, "leave_one_out_error")
    assert points(done) == {"softmax": 0.0, "gaussian_weights": 3.0, "leave_one_out_error": 0.0}


@pytest.mark.parametrize("unit", [unit.name for unit in exercises.units()])
def test_the_courses_own_code_is_no_answer(launchers: dict[str, Launcher], unit: str) -> None:
    judged = [
        e.name for e in exercises.unit(unit).exercises if e.kind not in ("choice", "training")
    ]
    if not judged:
        pytest.skip("a unit without exercises")
    module = exercises.unit(unit).module
    parts = [IMPORTS]
    for name in judged:
        parts += [f"from course_utils.{module} import {name}", name]
    assert set(points(graded(launchers[unit], unit, *parts)).values()) == {0.0}
