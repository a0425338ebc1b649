"""The case that a card shows is small, fails in the same way, and is never a secret one."""

import json
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.authoring.attempts import attempts, judge_source
from course_utils import exercises
from course_utils.judging import card
from course_utils.judging.compare import show, sides
from course_utils.judging.draw import Draw
from course_utils.judging.exercise import Case, Exercise
from course_utils.judging.judge import CASE_ROWS, LocalAttempt, judge
from course_utils.judging.runner import Outcome
from course_utils.judging.shrink import _sizes, numbers, smaller_cases


def large(reference: Callable[..., Any], *cases: Case, **options: Any) -> Exercise:
    return Exercise("answer", 5, "s", reference, lambda draw: list(cases), **options)


def weighted(x: Tensor, mask: Tensor) -> Tensor:
    return x.masked_fill(~mask, -torch.inf).softmax(-1)


def test_a_large_case_becomes_a_handful_of_round_numbers() -> None:
    draw = Draw(1)
    case = Case("4 x 5 x 7", args=(draw.normal(4, 5, 7), draw.mask(4, 5, 7)))
    verdict = judge(large(weighted, case), LocalAttempt(lambda x, mask: x.softmax(-1)))
    rows = dict(verdict.counterexample)
    assert rows["made smaller from"] == "4 x 5 x 7"
    assert len(rows["x"].splitlines()) == 2, "its shape and one row"
    assert "." not in rows["x"], "whole numbers"
    assert "True" in rows["mask"], "a row that allowed something still does"
    ((_, expected, yours),) = verdict.beside
    assert "«" in yours
    assert expected != yours


def test_a_mistake_that_needs_size_keeps_it() -> None:
    """Wrong only where a row has four entries or more."""

    def answer(x: Tensor) -> Tensor:
        return 2 * x if x.shape[-1] < 4 else 3 * x

    verdict = judge(
        large(lambda x: 2 * x, Case("9 columns", args=(torch.ones(6, 9),))), LocalAttempt(answer)
    )
    assert dict(verdict.counterexample)["x"] == "[1  1  1  1]"


def test_what_the_reference_refuses_is_not_shown() -> None:
    def halves(x: Tensor) -> Tensor:
        if x.shape[-1] % 2:
            raise ValueError("odd")
        return x[..., : x.shape[-1] // 2]

    verdict = judge(
        large(halves, Case("10", args=(torch.arange(30.0).reshape(3, 10),))),
        LocalAttempt(lambda x: x[..., x.shape[-1] // 2 :]),
    )
    assert dict(verdict.counterexample)["x"] == "[0  1]"


def test_another_error_than_the_first_is_not_shown_in_its_place() -> None:
    """On rows of one entry this answer raises, which is not what went wrong before."""

    def answer(x: Tensor) -> Tensor:
        return x + x[..., 1:].sum() * 0 + (1 if x.shape[-1] > 1 else int("no"))

    verdict = judge(large(lambda x: x, Case("7", args=(torch.ones(7),))), LocalAttempt(answer))
    assert verdict.failure is None
    assert dict(verdict.counterexample)["x"] == "[1, 1]"


def test_the_values_of_a_case_for_gradients_are_shown_without_them() -> None:
    case = Case("gradients arrive", args=(torch.ones(4),), gradients=True)
    verdict = judge(large(lambda x: 2 * x, case), LocalAttempt(lambda x: 3 * x))
    assert "gradients arrive (already the values)" in card.as_text(verdict)
    assert "the gradient of" not in card.as_text(verdict)


def test_secret_cases_are_neither_shrunk_nor_shown() -> None:
    asked: list[Case] = []

    def reference(x: Tensor) -> Tensor:
        return x

    exercise = Exercise(
        "answer", 5, "s", reference, lambda draw: [Case("row", args=(draw.normal(5),))]
    )
    visible = exercise.cases(Draw(2026))[0].args[0]

    class Hard(LocalAttempt):
        def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
            asked.extend(cases)
            return super().play(cases, limit, seeds)

    def coded(x: Tensor) -> Tensor:
        return x if torch.equal(x, visible) else x + 1

    verdict = judge(exercise, Hard(coded), "secret")
    assert not verdict.passed
    assert (verdict.counterexample, verdict.beside, verdict.picture) == ((), (), "")
    assert all(len(case.args[0]) == 5 for case in asked), "nothing smaller was asked"


def test_sizes_stay_different() -> None:
    draw = Draw(3)
    case = Case("", args=(draw.normal(2, 5, 7), draw.normal(7, 5)))
    made = list(smaller_cases(case))
    assert made
    for each in made:
        sizes = [size for size in each.args[0].shape if size > 1]
        assert len(sizes) == len(set(sizes))
        assert numbers(each) < numbers(case)
        assert set(_sizes(each)) <= {*range(1, 8)}


def test_large_results_are_shown_where_they_differ() -> None:
    want = torch.zeros(20, 20)
    have = want.clone()
    have[7, 11] = 1.0
    ((_, expected, yours),) = sides(Outcome((want,)), Outcome((have,)), 1e-5)
    assert "[7, 9:]" in yours
    assert "«1»" in yours
    assert "(20, 20)" in expected


SHOWN = [
    ("exact_match", 60),
    ("MultiHeadAttention", 260),
    ("from_torch", 260),
    ("LearnedPositions", 60),
    ("shift_matrix", 60),
    ("rotary", 60),
    ("scaled_dot_product_attention", 60),
    ("masked_attention", 60),
    ("PatchEmbedding", 60),
    ("softmax", 60),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), SHOWN)
def test_cards_of_the_bank_are_small(name: str, most: int) -> None:
    """A few mistakes show only among many numbers; the others are shown with a handful."""
    unit, exercise = exercises.unit_of(name), exercises.find(name)
    seen, large_ones = 0, []
    for attempt in attempts(unit):
        if attempt.exercise != name or attempt.right:
            continue
        verdict = judge_source(exercise, attempt.source, attempt.label)
        text = card.as_text(verdict)
        assert "Opaque" not in text, attempt.label
        inputs = [v for k, v in verdict.counterexample if k not in CASE_ROWS]
        if verdict.failure is None and verdict.counterexample:
            seen += 1
            if "a tensor of shape" in str(inputs) or len(" ".join(inputs).split()) > most:
                large_ones.append(attempt.label)
    assert seen > 5
    assert len(large_ones) <= seen / 8, large_ones


def test_a_module_is_shown_with_its_weights_and_they_are_round() -> None:
    draw = Draw(4)
    weights = {"weight": draw.normal(3, 5), "bias": draw.normal(3)}
    case = Case("5 to 3", init=(5, 3), weights=weights, args=(draw.normal(4, 5),))

    class Careless(nn.Linear):
        def forward(self, input: Tensor) -> Tensor:
            return input @ self.weight.T

    verdict = judge(large(nn.Linear, case, kind="module"), LocalAttempt(Careless))
    rows = dict(verdict.counterexample)
    shown = dict(line.split(" = ") for line in rows["its weights"].splitlines())
    assert set(shown) == {"weight", "bias"}
    state = {name: torch.tensor(json.loads(text)) for name, text in shown.items()}
    row = [float(number) for number in rows["input"].strip("[]").split()]
    worked_out = torch.tensor([row]) @ state["weight"].T + state["bias"]
    ((_, expected, _),) = verdict.beside
    assert expected == show(worked_out), "the card can be worked through by hand"
