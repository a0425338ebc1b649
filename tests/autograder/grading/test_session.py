"""Crashing costs time, notes give nothing away, and what comes back has a bound."""

import subprocess
import sys
import time
from typing import Any

import pytest

from autograder.course import SOURCE_TREE, Limits
from autograder.grading.judging import GradedNotebook, RemoteAttempt, _judged
from autograder.grading.prepare import SourceCell
from autograder.grading.session import Session, Stopped
from course_utils import exercises
from tests.autograder.grading.stand_in import Answer, ChildDied, FakeChild, quiet

SECRET = "tensor([0.1234])"


def test_replacing_a_child_counts_as_time_of_the_submission(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    died = ChildDied("the process ended itself with exit code 1")
    session = Session(lambda: FakeChild(lambda *_: died), Limits(submission_seconds=20))  # type: ignore[arg-type, return-value]
    for number in range(2000):
        session.run(f"cell {number}", "import os; os._exit(1)")
    assert session.starts <= 20, "each end took a second of this clock"
    assert session.notes[-1].limit == "submission_seconds"


@pytest.mark.parametrize("kind", ["raised", "time", "parameters"])
@pytest.mark.parametrize(
    "symptom", ["MemoryError", "No space left on device", "can't start new thread"]
)
def test_a_note_on_a_limit_cannot_carry_a_secret_case(symptom: str, kind: str) -> None:
    def leak(op: str, fields: dict[str, Any]) -> Answer:
        if op != "play":
            return quiet(op, fields)
        texts = {"type": symptom, "message": f"{symptom} {SECRET}", "code": SECRET}
        failure = {"kind": kind, "line": None, **texts}
        return {"outcomes": [{"failure": failure}] * len(fields["cases"])}, b"", []

    notes = notes_after(leak)
    assert notes
    assert all(SECRET not in str(note) for note in notes)


@pytest.mark.parametrize(
    "header",
    [{"refused": SECRET}, {"outcomes": [{SECRET: 1}]}, {"outcomes": SECRET}, {SECRET: SECRET}],
)
def test_an_answer_that_is_no_data_carries_nothing_either(header: dict[str, Any]) -> None:
    notes = notes_after(lambda op, fields: (header, b"", []))
    assert [note.limit for note in notes] == ["crash"]
    assert all(SECRET not in str(note) for note in notes)


def notes_after(say: Any) -> list[Any]:
    """What is noted when `softmax` is judged and its process says this."""
    session = Session(lambda: FakeChild(say), Limits())  # type: ignore[arg-type, return-value]
    exercise = exercises.unit("01").exercises[0]
    mark = SourceCell("test_softmax", "code", "", True, "", True, False, False, 3.0)
    attempt = RemoteAttempt(session, "softmax", "", mark.name)
    _judged(GradedNotebook([], [], {}, []), mark, exercise, attempt, "seed")
    return session.notes


def test_a_result_is_bounded_whatever_the_answer_is() -> None:
    def quotes(op: str, fields: dict[str, Any]) -> Answer:
        values = [{"values": ["'\"&<" * 250_000], "changed": [], "gradients": {}}]
        return {"outcomes": values * len(fields["cases"])}, b"", []

    session = Session(lambda: FakeChild(quotes), Limits())  # type: ignore[arg-type, return-value]
    exercise = exercises.unit("01").exercises[0]
    mark = SourceCell("test_softmax", "code", "", True, "", True, False, False, 3.0)
    graded = GradedNotebook([], [], {}, [])
    attempt = RemoteAttempt(session, "softmax", "", mark.name)
    output = _judged(graded, mark, exercise, attempt, "seed")
    (result,) = graded.results
    assert result.points == 0.0
    assert len(str(result)) < 1_000_000
    assert len(str(output)) < 1_000_000


def test_a_stopped_order_says_why() -> None:
    session = Session(lambda: FakeChild(lambda *_: ChildDied("the process ended")), Limits())  # type: ignore[arg-type, return-value]
    with pytest.raises(Stopped, match="the process ended"):
        session.ask("here", "value", 1.0, {"name": "x"})


def test_a_worker_fails_before_the_machine_does() -> None:
    code = (
        "from autograder.grading import worker\n"
        "from autograder.grading.launch import Launcher\n"
        "worker.settle('unit', Launcher('', 3, ''))\n"
        "try:\n"
        "    room = bytearray(3 << 30)\n"
        "except MemoryError:\n"
        "    print('refused')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SOURCE_TREE, capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\n"
