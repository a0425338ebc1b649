"""What counts as the same result: nothing that is missing does, and no answer makes a long
message."""

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from course_utils.judging.compare import describe, difference, outcome_difference, show
from course_utils.judging.exercise import Call, Case, Exercise, Outcome
from course_utils.judging.judge import judge
from course_utils.judging.pictures import weights_picture
from course_utils.judging.runner import play
from course_utils.judging.stand_in import Oracle

TOLERANCE = 1e-5
LENGTH = 300_000


class Adder:
    def __init__(self) -> None:
        self.total = torch.zeros(2)

    def __call__(self, x: Tensor) -> Tensor:
        self.total = self.total + x
        return self.total


def test_an_outcome_without_values_is_different() -> None:
    expected = Outcome((torch.ones(2),))
    assert outcome_difference(expected, Outcome(), TOLERANCE) == "nothing came back"


@pytest.mark.parametrize("size", [1.0, 100.0, 0.0])
def test_the_tolerance_is_as_wide_as_it_says(size: float) -> None:
    """Relative for large numbers, absolute for small ones."""
    want = torch.full((2, 3), size, dtype=torch.float64)
    room = TOLERANCE * (1 + size)
    for share, same in ((0.5, True), (2.0, False)):
        have = want.clone()
        have[1, 2] += share * room
        text = difference(want, have, TOLERANCE)
        assert (text is None) == same, (size, share, text)
    assert "at [1, 2]" in (text or "")


@pytest.mark.parametrize("kept", [0, 1, 2, 4])
def test_each_call_has_its_value(kept: int) -> None:
    call = Call((torch.ones(2),))
    case = Case("three calls", args=(torch.ones(2),), init=(), then=(call, call))
    expected = play(case, Adder)
    assert len(expected.values) == 3
    got = replace(expected, values=(*expected.values, torch.zeros(2))[:kept])
    assert "came back" in (outcome_difference(expected, got, TOLERANCE) or "")
    assert outcome_difference(expected, expected, TOLERANCE) is None


def test_each_gradient_that_was_asked_for_must_be_there() -> None:
    case = Case("square", args=(torch.randn(3), torch.randn(3)), gradients=True)
    expected = play(case, lambda x, y: x * x + 0 * y)
    assert set(expected.gradients) == {"argument 0", "argument 1"}
    for key in expected.gradients:
        left = {name: value for name, value in expected.gradients.items() if name != key}
        got = replace(expected, gradients=left)
        assert "no gradient" in (outcome_difference(expected, got, TOLERANCE) or ""), key


def test_gradients_reach_what_lies_in_a_list_and_the_inputs_of_further_calls() -> None:
    state, x = (torch.randn(2), torch.randn(2)), torch.randn(2)
    call = Call((torch.randn(2),))

    class Keeps(Adder):
        def __call__(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> Tensor:
            h, c = state or (1, 1)
            return super().__call__(x * x) * h * c

    class Forgets(Keeps):
        def __call__(self, x: Tensor, state: tuple[Tensor, Tensor] | None = None) -> Tensor:
            found = super().__call__(x, state)
            self.total = self.total.detach()
            return found

    case = Case("two calls", args=(x, state), init=(), then=(call,), gradients=True)
    expected, got = play(case, Keeps), play(case, Forgets)
    names = {"argument 0", "argument 1[0]", "argument 1[1]", "argument 0 of call 2"}
    assert set(expected.gradients) == names
    assert all(value is not None and value.any() for value in expected.gradients.values())
    assert outcome_difference(expected, expected, TOLERANCE) is None
    text = outcome_difference(expected, got, TOLERANCE, arguments=("x", "state")) or ""
    assert "the gradient of `x`" in text, "the second result depends on the first input"
    lost = replace(expected, gradients={**expected.gradients, "argument 1[0]": None})
    text = outcome_difference(expected, lost, TOLERANCE, arguments=("x", "state")) or ""
    assert "`state`[0]" in text


class Silent:
    """An attempt in another process that claims to have run and sends nothing."""

    source = ""

    def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
        return [Outcome() for _ in cases]

    def assisted(self, oracle: Oracle) -> "Silent":
        return self

    def value(self) -> None:
        return None


@pytest.mark.parametrize("verify", [None, lambda outcome: None])
def test_an_attempt_that_sends_nothing_earns_nothing(
    verify: Callable[[Outcome], str | None] | None,
) -> None:
    case = Case("any", args=(torch.ones(2),), verify=verify)
    exercise = Exercise("double", 3, "Doubling", lambda x: 2 * x, lambda draw: [case])
    verdict = judge(exercise, Silent(), "seed")
    assert (verdict.points, verdict.passed) == (0.0, False)


@pytest.mark.parametrize(
    "value",
    [
        "'\"" * LENGTH,
        ["\0" * LENGTH] * 20,
        ("x" * LENGTH,) * 100,
        {"\n" * LENGTH: "'" * LENGTH},
        10**5000,
        [10**5000],
        torch.zeros(1000, 1000),
    ],
    ids=["string", "list", "tuple", "dict", "number", "list of a number", "tensor"],
)
def test_no_answer_makes_a_long_message(value: object) -> None:
    texts = [show(value), describe(value)]
    for expected in (torch.ones(2), 1, "text", [1, 2], (1, 2)):
        texts.append(difference(expected, value, TOLERANCE) or pytest.fail("they differ"))
    assert max(map(len, texts)) < 50_000


def test_small_values_are_shown_whole() -> None:
    assert show([3, 1, 4] * 10) == repr([3, 1, 4] * 10)
    assert show("it's") == repr("it's")
    assert difference([1, 2], [1, 3], TOLERANCE) == "the result should be [1, 2], not [1, 3]"


def test_tensors_given_by_keyword_are_copied_compared_and_graded() -> None:
    """An answer that overwrites its keywords must neither pass nor spoil the next one."""
    x, mask = torch.randn(3), torch.tensor([True, False, True])
    case = Case("by keyword", kwargs={"x": x, "mask": mask}, gradients=True)

    def careless(x: Tensor, mask: Tensor) -> Tensor:
        found = x * mask
        mask.fill_(True)
        return found

    expected = play(case, lambda x, mask: x * mask)
    assert play(replace(case, gradients=False), careless).changed == (1,)
    assert expected.changed == ()
    assert mask.tolist() == [True, False, True]
    assert list(expected.gradients) == ["argument 0"]
    lost = play(case, lambda x, mask: x.detach() * mask)
    assert "`x`" in (outcome_difference(expected, lost, TOLERANCE, arguments=("x", "mask")) or "")


@pytest.mark.parametrize(
    ("got", "same"),
    [
        ([torch.tensor(1), torch.tensor(2)], True),
        ([torch.tensor([1, 2])], False),
        ([torch.tensor([1, 2]), torch.tensor([3, 4])], False),
        (torch.tensor([1, 2]), True),
    ],
)
def test_a_list_may_hold_tensors(got: object, same: bool) -> None:
    assert (difference([1, 2], got, TOLERANCE) is None) == same


def test_what_torch_has_not_implemented_is_an_error_and_not_an_unwritten_answer() -> None:
    case = Case("bool", args=(torch.tensor([True, False]),))
    failure = play(case, lambda x: x.softmax(-1)).failure
    assert failure is not None
    assert failure.kind == "raised"

    def stub(x: Tensor) -> Tensor:
        raise NotImplementedError

    failure = play(case, stub).failure
    assert failure is not None
    assert failure.kind == "missing"


def test_dicts_differ_in_their_names_and_in_their_values() -> None:
    expected = {"weight": torch.ones(2, 3), "bias": torch.zeros(2)}
    assert difference(expected, {**expected}, TOLERANCE) is None
    more = difference(expected, {**expected, "cache": torch.ones(4)}, TOLERANCE)
    assert "holds in addition cache" in (more or "")
    assert "lacks bias" in (difference(expected, {"weight": torch.ones(2, 3)}, TOLERANCE) or "")
    other = difference(expected, {**expected, "bias": torch.ones(2)}, TOLERANCE)
    assert "bias" in (other or "")
    assert "should be a dict" in (difference(expected, torch.ones(2), TOLERANCE) or "")


def test_a_state_is_shown_as_code_or_by_a_handful() -> None:
    few = {"inner.weight": torch.tensor([[0.5, -1.0]]), "inner.bias": torch.tensor([2.0])}
    assert show(few) == "inner.weight = [[0.5, -1]]\ninner.bias = [2]"
    many = {"a": torch.ones(2), "b": torch.ones(20, 20), "c": torch.ones(3)}
    assert show(many) == "a = [1, 1]\n… and 2 more, 405 numbers in all"
    assert show({"b": torch.ones(20, 20)}) == "400 numbers in all"


def test_nan_in_a_heat_map_is_crossed_out_and_not_a_zero() -> None:
    want, have = torch.tensor([[1.0, 0.0]]), torch.tensor([[torch.nan, 0.0]])
    drawn = weights_picture(0)(Case(""), Outcome((want,)), Outcome((have,)))
    yours, expected = drawn.split("</svg>")[:2]
    assert yours.count("<path") == 1
    assert "<title>nan</title>" in yours
    assert "no number" in yours
    assert "<path" not in expected
    assert "no number" not in expected
    assert weights_picture(0)(Case(""), Outcome((want * 0,)), Outcome((want * torch.nan,)))
