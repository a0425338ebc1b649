"""Cases of every exercise in the course can be sent, and what arrives plays as it does here."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.grading.remote import Requests, outcomes_of, request_of
from autograder.sandbox import agent, wire
from course_utils import exercises
from course_utils.judging.compare import outcome_difference
from course_utils.judging.exercise import Exercise
from course_utils.judging.judge import VISIBLE_SEED, cases_of, expected_of, judge
from course_utils.judging.runner import Call, Case, Opaque, Outcome, play
from course_utils.judging.stand_in import Oracle

EXERCISES = [e for unit in exercises.units() for e in unit.exercises if isinstance(e, Exercise)]


def sent(case: Case) -> Case:
    nodes, buffers = Requests().encode([case])
    header = json.loads(json.dumps(nodes))
    (fields,) = wire.Decoder(b"".join(buffers), agent._build).decode(header)
    return Case(**fields)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_cases_play_the_same_after_the_journey(exercise: Exercise) -> None:
    if exercise.kind == "training":
        pytest.skip("a training takes long; its cases are sent below")
    for case, expected in zip(
        cases_of(exercise, VISIBLE_SEED), expected_of(exercise, VISIBLE_SEED), strict=True
    ):
        got = play(sent(case), exercise.reference)
        assert outcome_difference(expected, got, 1e-6) is None, case.label
        buffers: list[bytes] = []
        header = json.loads(json.dumps({"outcomes": [agent.outcome_node(got, buffers)]}))
        (back,) = outcomes_of(header, b"".join(buffers), [case])
        assert outcome_difference(expected, back, 1e-6) is None, case.label
        assert back.changed == got.changed


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_every_case_can_be_sent_and_gives_nothing_away(exercise: Exercise) -> None:
    for case in cases_of(exercise, VISIBLE_SEED):
        request = request_of(case)
        assert request["label"] == ""
        assert set(request) <= {field.name for field in dataclasses.fields(Case)} - {
            "group",
            "raises",
            "verify",
            "hidden_values",
        }
        wire.encode(request, [])


def test_encoded_cases_are_kept() -> None:
    requests = Requests()
    case = Case("a", args=(torch.ones(2),))
    first, second = requests.encode([case]), requests.encode([case])
    assert first == second
    assert len(requests.kept) == 1


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"outcomes": []},
        {"outcomes": [1]},
        {"outcomes": [{}]},
        {"outcomes": [{"failure": {"kind": "limit"}}]},
    ],
)
def test_other_answers_are_refused(header: dict[str, Any]) -> None:
    with pytest.raises(wire.WireError):
        outcomes_of(header, b"", [Case("")])


class Forger:
    """A child that never calls the answer and says of every case what it likes."""

    source = ""

    def __init__(self, forge: Callable[[Case], dict[str, Any]]) -> None:
        self.forge = forge

    def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
        buffers: list[bytes] = []
        nodes = []
        for case in cases:
            forged = self.forge(case)
            values = [
                wire.encode(value, buffers, agent.NESTED, agent._opaque)
                for value in forged["values"]
            ]
            given = forged.get("gradients", {}).items()
            gradients = {name: wire.encode(each, buffers) for name, each in given}
            nodes.append({"values": values, "changed": [], "gradients": gradients})
        header = json.loads(json.dumps({"outcomes": nodes}))
        return outcomes_of(header, b"".join(buffers), cases)

    def assisted(self, oracle: Oracle) -> "Forger":
        return self

    def value(self) -> Any:
        return None


def one_of(value: Any) -> Callable[[Case], dict[str, Any]]:
    return lambda case: {"values": [value] * (1 + len(case.then))}


def first_tensor(case: Case) -> dict[str, Any]:
    found = next((a for a in case.args if isinstance(a, torch.Tensor)), torch.ones(2))
    return {"values": [found] * (1 + len(case.then)), "gradients": {}}


FORGERIES: dict[str, Callable[[Case], dict[str, Any]]] = {
    "no values": lambda case: {"values": []},
    "one value too few": lambda case: {"values": [torch.ones(2)] * len(case.then)},
    "one value too many": lambda case: {"values": [torch.ones(2)] * (2 + len(case.then))},
    "none": one_of(None),
    "true": one_of(True),
    "zero": one_of(0.0),
    "not a number": one_of(torch.tensor(float("nan"))),
    "empty tensor": one_of(torch.empty(0)),
    "empty list": one_of([]),
    "empty tuple": one_of(()),
    "text": one_of("right"),
    "an object": one_of(Opaque("Right")),
    "its input": first_tensor,
}


# without names for mistakes, which take most of the time to find: points alone count here
NAMELESS = [dataclasses.replace(exercise) for exercise in EXERCISES]


@pytest.mark.slow
@pytest.mark.parametrize("forgery", FORGERIES)
def test_an_answer_that_was_never_called_earns_nothing(forgery: str) -> None:
    for exercise in NAMELESS:
        assert not exercise.misconceptions
        if exercise.kind != "training":
            verdict = judge(exercise, Forger(FORGERIES[forgery]), "secret")
            assert verdict.points == 0.0, (exercise.name, forgery)
            assert verdict.status == "failed"


@pytest.mark.parametrize("calls", [1, 2, 3])
@pytest.mark.parametrize("more", [-1, 0, 1, 2])
def test_exactly_one_value_for_each_call(calls: int, more: int) -> None:
    case = Case("", (1,), then=(Call(),) * (calls - 1))
    (outcome,) = Forger(lambda _: {"values": [1.0] * (calls + more)}).play([case], 1.0)
    if more:
        assert outcome.failure is not None
        assert outcome.failure.kind == "crash"
    else:
        assert len(outcome.values) == calls


def test_exactly_the_gradients_that_were_asked_for() -> None:
    def answer(case: Case, gradients: dict[str, Any]) -> Outcome:
        made = {"values": [1.0], "gradients": gradients}
        return Forger(lambda _: made).play([case], 1.0)[0]

    numbers = torch.ones(2)
    plain, asked = Case("", (numbers, 3)), Case("", (numbers, 3), gradients=True)
    assert answer(plain, {}).failure is None
    assert answer(plain, {"argument 0": numbers}).failure is not None
    assert answer(asked, {"argument 0": numbers}).failure is None
    assert answer(asked, {"argument 1": numbers}).failure is not None
    assert answer(asked, {}).gradients == {}, "which the judge takes for: no gradient arrives"
    module = Case("", (numbers,), init=(), gradients=True)
    assert answer(module, {"argument 0": numbers, "weight": numbers}).failure is None
    assert answer(module, {str(i): None for i in range(1001)}).failure is not None


def test_what_a_child_writes_is_cut_and_cleaned() -> None:
    failure = {"kind": "raised", "type": "E\n\x1b[31m", "line": 3}
    texts = {"message": "\ud800" + "m" * 9000, "code": "c\x00" * 9000}
    (outcome,) = outcomes_of({"outcomes": [{"failure": failure | texts}]}, b"", [Case("")])
    assert outcome.failure is not None
    for text in (outcome.failure.type, outcome.failure.message, outcome.failure.code):
        assert len(text.encode()) < 20_000
        assert not set(text) & set("\x1b\x00")
    changed = {"values": [1], "changed": [1], "gradients": {}}  # there is no second argument
    with pytest.raises(wire.WireError):
        outcomes_of({"outcomes": [changed]}, b"", [Case("", (1,))])
