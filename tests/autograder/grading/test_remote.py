"""Cases of every exercise in the course can be sent, and what arrives plays as it does here."""

import dataclasses
import json
from typing import Any

import pytest
import torch

from autograder.grading.remote import Requests, outcomes_of, request_of
from autograder.sandbox import agent, wire
from course_utils import exercises
from course_utils.compare import outcome_difference
from course_utils.exercise import Exercise
from course_utils.judge import VISIBLE_SEED, cases_of, expected_of
from course_utils.play import Case, play

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
    for case, expected in zip(cases_of(exercise, VISIBLE_SEED), expected_of(exercise, VISIBLE_SEED), strict=True):
        got = play(sent(case), exercise.reference)
        assert outcome_difference(expected, got, 1e-6) is None, case.label
        buffers: list[bytes] = []
        header = json.loads(json.dumps({"outcomes": [agent._outcome(got, buffers)]}))
        (back,) = outcomes_of(header, b"".join(buffers), 1)
        assert outcome_difference(expected, back, 1e-6) is None, case.label
        assert back.changed == got.changed


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.name)
def test_every_case_can_be_sent_and_gives_nothing_away(exercise: Exercise) -> None:
    for case in cases_of(exercise, VISIBLE_SEED):
        request = request_of(case)
        assert request["label"] == ""
        assert set(request) <= {field.name for field in dataclasses.fields(Case)} - {"group", "raises", "verify", "hidden_values"}
        wire.encode(request, [])


def test_encoded_cases_are_kept() -> None:
    requests = Requests()
    case = Case("a", args=(torch.ones(2),))
    first, second = requests.encode([case]), requests.encode([case])
    assert first == second
    assert len(requests.kept) == 1


@pytest.mark.parametrize(
    "header", [{}, {"outcomes": []}, {"outcomes": [1]}, {"outcomes": [{}]}, {"outcomes": [{"failure": {"kind": "limit"}}]}]
)
def test_other_answers_are_refused(header: dict[str, Any]) -> None:
    with pytest.raises(wire.WireError):
        outcomes_of(header, b"", 1)
