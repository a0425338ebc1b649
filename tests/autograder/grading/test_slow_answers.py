"""Time limits follow the solution, an endless answer is asked once, and who took long comes
first."""

import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from autograder.grading import judging
from autograder.grading.judging import RemoteAttempt
from autograder.grading.rehearsal import LEAST, TIMES, seconds_for
from autograder.grading.run import LONG, LongRuns
from course_utils import exercises
from course_utils.judging.exercise import Exercise
from course_utils.judging.judge import VISIBLE_SEED, Earlier, cases_of, expected_of, judge
from course_utils.judging.runner import Case

BURNT = 0.15  # seconds of processor time


def burning(case: Case) -> float:
    began = time.thread_time()
    while time.thread_time() - began < BURNT:
        pass
    return 1.0


@pytest.fixture
def softmax() -> Exercise:
    found = exercises.find("softmax")
    assert isinstance(found, Exercise)
    return found


def slow(softmax: Exercise, limit: float) -> Exercise:
    return replace(
        softmax, reference=burning, limit=limit, cases=lambda draw: [Case("one", args=(1.0,))]
    )


def test_a_quick_solution_leaves_the_least_time(softmax: Exercise) -> None:
    assert seconds_for(softmax) == LEAST < softmax.limit


@pytest.mark.parametrize("known", [False, True], ids=["measured", "measured again"])
def test_a_slow_solution_leaves_a_multiple(softmax: Exercise, known: bool) -> None:
    exercise = slow(softmax, math.inf)
    if known:
        expected_of(exercise, VISIBLE_SEED)
    assert seconds_for(exercise) >= TIMES * BURNT > LEAST


def test_the_exercise_sets_the_most(softmax: Exercise) -> None:
    assert seconds_for(slow(softmax, 0.5)) == 0.5
    assert seconds_for(slow(softmax, LEAST + 0.1)) == LEAST + 0.1


class Endless:
    """A session whose child says of every case that its time ran out."""

    def __init__(self) -> None:
        self.limits: list[float] = []
        self.cases: list[int] = []
        self.child = object()

    def ask(self, where: str, op: str, seconds: float, fields: dict[str, Any], *_: Any) -> Any:
        self.limits.append(fields["limit"])
        self.cases.append(len(fields["cases"]))
        failure = {"kind": "time", "type": "", "message": "", "line": None, "code": ""}
        return {"outcomes": [{"failure": failure}] * len(fields["cases"])}, b""

    def suspect(self, where: str, error: str) -> None: ...


def test_an_endless_answer_is_asked_once(softmax: Exercise) -> None:
    session: Any = Endless()
    source = "def softmax(scores, dim=-1):\n    while True: pass"
    attempt = RemoteAttempt(session, "softmax", source, "test", seconds=seconds_for(softmax))
    verdict = judge(softmax, attempt, "secret")
    assert (verdict.points, verdict.misconception) == (0.0, "endless")
    assert session.limits == [LEAST]
    assert len(verdict.cases) < 2 * len(cases_of(softmax, VISIBLE_SEED))


def test_a_second_look_at_an_endless_answer_is_one_case(softmax: Exercise) -> None:
    session: Any = Endless()
    later = exercises.find("gaussian_weights")
    attempt = RemoteAttempt(session, later.name, "", "test", seconds=LEAST)
    verdict = judge(later, attempt, "secret", [Earlier(softmax)])
    assert (verdict.points, verdict.comes_from) == (0.0, ())
    assert session.cases[1:] == [1]


def test_answer_cells_only_define() -> None:
    unit = exercises.unit("01")
    known: Any = type("Known", (), {"name": "softmax", "solution": True})
    assert judging._cell_seconds(known, unit) == judging.ANSWER_CELL
    known.solution = False
    assert judging._cell_seconds(known, unit) == math.inf
    assert judging._cell_seconds(None, unit) == math.inf


def test_who_took_long_comes_first(tmp_path: Path) -> None:
    path = tmp_path / "long" / "01.json"
    runs = LongRuns(path)
    for student, seconds in {"ada": 0.1, "bob": LONG + 1, "eve": LONG + 9}.items():
        runs.note(student, seconds)
    runs.write()
    again = LongRuns(path)
    assert again.first(["ada", "bob", "cy", "eve"]) == ["eve", "bob", "ada", "cy"]
    again.note("eve", 0.1)
    again.write()
    assert LongRuns(path).first(["ada", "bob", "eve"]) == ["bob", "ada", "eve"]


@pytest.mark.parametrize("content", [b"", b"[1]", b'{"ada": "x"}', b"\xff"])
def test_a_spoilt_list_orders_nobody(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "01.json"
    path.write_bytes(content)
    assert LongRuns(path).first(["ada", "bob"]) == ["ada", "bob"]
