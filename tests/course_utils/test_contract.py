"""The exercise contract: all five kinds, every way to fail, partial credit, and names for misconceptions."""

import ast
import time

import pytest
import torch
from torch import Tensor, nn

from course_utils import card
from course_utils.exercise import Call, Case, Choice, Exercise, Forbidden, Misconception, Option, Outcome, Property
from course_utils.judge import LocalAttempt, Verdict, judge, secret_seeds
from course_utils.toys import Toy


def double(x: Tensor) -> Tensor:
    return 2 * x


DOUBLE = Exercise(
    name="double",
    points=5,
    section="Doubling",
    reference=double,
    cases=lambda draw: [
        Case("a vector", args=(draw.normal(3),), gradients=True),
        Case("a matrix", args=(draw.normal(2, 3),)),
        Case("nothing", args=(torch.zeros(0),), group="edge"),
        Case("text is refused", args=("text",), raises=TypeError, group="edge"),
    ],
    properties=(
        Property("doubles the sum", lambda case, got: None if abs(got.value.sum() - 2 * case.args[0].sum()) < 1e-4 else "it does not"),
    ),
    misconceptions=(
        Misconception("squared", "Squared", "You multiply x with itself.", lambda x: x * x),
        Misconception(
            "power", "A power", "Two to the power of x.", lambda x: x * x, syntax=lambda t: any(isinstance(n, ast.Pow) for n in ast.walk(t))
        ),
    ),
    forbidden=(Forbidden("no torch.add", names=("add",)),),
    limit=0.5,
)


def refuse_text(x: object) -> None:
    if isinstance(x, str):
        raise TypeError("not a tensor")


def attempt(function: object, source: str = "", seed: str | None = "s") -> Verdict:
    return judge(DOUBLE, LocalAttempt(function, source), seed)


def right(x: Tensor) -> Tensor:
    refuse_text(x)
    return x + x


def test_a_right_answer_gets_full_points() -> None:
    verdict = attempt(right)
    assert verdict.passed
    assert verdict.status == "passed"
    assert verdict.points == 5.0
    assert any(not case.visible for case in verdict.cases)


def test_the_reference_is_refused_where_it_breaks_a_rule_of_the_cases() -> None:
    verdict = attempt(double)  # doubles text without complaint
    assert verdict.points == pytest.approx(5 * 4 / 5)  # the edge group is lost, basis and properties stay
    assert "TypeError" in next(c.message for c in verdict.cases if c.visible and not c.passed)


@pytest.mark.parametrize(
    ("function", "slug", "words"),
    [
        (lambda x: None, "returns-nothing", "None"),
        (lambda x: x * x, "squared", "itself"),
        (lambda x: (2 * x).detach(), "no-gradient", "graph"),
        (lambda x: (2 * x).detach(), "no-gradient", "no gradient reaches `x`"),
        (lambda x: x + (x, x), "tuple-not-unpacked", "`(lambda x: x + (x, x),"),
        (lambda x: torch.relu((x, x)), "tuple-not-unpacked", "unpack the tuple"),
        (lambda x: (x, x).sum(), "tuple-not-unpacked", "unpack the tuple"),
        (lambda x: torch.zeros("3"), None, "TypeError"),  # its message has a tuple in it too, but of another kind
        (lambda x: (2 * x, x), None, "tuple"),
        (lambda x: [1, 2], None, "list"),
        (lambda x: (2 * x).long() if isinstance(x, Tensor) else x, None, "floating-point"),
        (lambda x: (2 * x)[..., :1], None, "shape"),
        (lambda x: undefined_name, None, "NameError"),  # type: ignore[name-defined] # noqa: F821
        (lambda x: 3 * x, None, "expected"),
        (lambda x: x.mul_(2), "changes-its-input", "modified in place: `x`"),
        (lambda: 1, None, "TypeError"),
    ],
)
def test_each_way_to_be_wrong_gets_a_clear_sentence(function: object, slug: str | None, words: str) -> None:
    verdict = attempt(function)
    assert verdict.points < 5
    assert verdict.misconception == slug
    assert words in card.as_text(verdict)
    assert "Traceback" not in card.as_text(verdict)


def test_an_endless_loop_ends() -> None:
    def endless(x: Tensor) -> Tensor:
        try:
            while True:
                time.sleep(0.01)
        except BaseException:  # swallows the first interruption
            while True:
                time.sleep(0.01)

    verdict = attempt(endless)
    assert verdict.misconception == "endless"
    assert verdict.points == 0


def test_syntax_tells_equal_values_apart() -> None:
    square = lambda x: x**2  # noqa: E731
    assert attempt(square, "def double(x):\n    return x ** 2").misconception == "power"
    assert attempt(square, "def double(x):\n    return x * x").misconception == "squared"


def test_what_is_not_allowed_costs_the_points() -> None:
    verdict = attempt(right, "def double(x):\n    return torch.add(x, x)")
    assert (verdict.status, verdict.points, verdict.message) == ("not allowed", 0.0, "no torch.add")
    assert attempt(right, "def double(x):\n    return getattr(torch, 'add')(x, x)").status == "not allowed"
    assert attempt(right, "from torch import add as plus\ndef double(x):\n    return plus(x, x)").status == "not allowed"


@pytest.mark.parametrize("source", ["def double(x):\n    ...  # YOUR CODE HERE", 'def double(x):\n    """Doc."""\n    ...'])
def test_an_untouched_answer_is_not_started(source: str) -> None:
    verdict = attempt(lambda x: None, source)
    assert verdict.status == "not started"
    assert verdict.points == 0


def test_not_implemented_is_not_started() -> None:
    def stub(x: Tensor) -> Tensor:
        raise NotImplementedError

    assert attempt(stub).status == "not started"


def test_a_constant_earns_nothing() -> None:
    assert attempt(lambda x: torch.zeros(3)).points == 0
    assert attempt(lambda x: torch.zeros(2, 3)).points == 0


def test_hard_coding_the_visible_cases_fails() -> None:
    from course_utils.draw import Draw
    from course_utils.judge import VISIBLE_SEED

    visible = DOUBLE.cases(Draw(VISIBLE_SEED))

    def coded(x: Tensor) -> Tensor:
        refuse_text(x)
        for case in visible:
            if isinstance(case.args[0], Tensor) and case.args[0].shape == x.shape and torch.equal(case.args[0], x):
                return 2 * x
        return x

    assert attempt(coded, seed=None).passed
    verdict = attempt(coded)
    assert verdict.points == 0
    assert "cases that you can see" in verdict.message


def test_secret_values_are_not_told() -> None:
    verdict = attempt(lambda x: 3 * x)
    assert all(case.message == "" for case in verdict.cases if not case.visible)


def test_secret_seeds_differ_by_exercise_and_secret() -> None:
    assert len({*secret_seeds("a", "x", 3), *secret_seeds("a", "y", 3), *secret_seeds("b", "x", 3)}) == 9


# module --------------------------------------------------------------------------------------------------------------


class Counter(nn.Module):
    """Adds a learned step to a running total."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.step = nn.Linear(dim, dim)
        self.total = 0.0

    def forward(self, x: Tensor) -> Tensor:
        self.total = self.total + self.step(x)
        return self.total

    def reset(self) -> None:
        self.total = 0.0


class Forgetful(Counter):
    def forward(self, x: Tensor) -> Tensor:
        return self.step(x)


class Unregistered(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.layers = [nn.Linear(dim, dim)]

    def forward(self, x: Tensor) -> Tensor:
        return self.layers[0](x)


def counter_cases(draw):  # type: ignore[no-untyped-def]
    weights = {"step.weight": draw.normal(3, 3), "step.bias": draw.normal(3)}
    x, y = draw.normal(2, 3), draw.normal(2, 3)
    return [
        Case("one call", init=(3,), weights=weights, args=(x,), gradients=True),
        Case("two calls", init=(3,), weights=weights, args=(x,), then=(Call((y,)), Call(method="reset"), Call((y,)))),
    ]


COUNTER = Exercise(
    name="Counter",
    kind="module",
    points=2,
    section="s",
    reference=Counter,
    cases=counter_cases,
    misconceptions=(Misconception("forgetful", "Forgets", "Nothing is kept.", Forgetful),),
)


def test_a_module_gets_its_weights_and_keeps_its_state() -> None:
    assert judge(COUNTER, LocalAttempt(Counter), "s").passed
    assert judge(COUNTER, LocalAttempt(Forgetful), "s").misconception == "forgetful"


def test_missing_parameters_are_named() -> None:
    verdict = judge(COUNTER, LocalAttempt(Unregistered), "s")
    assert verdict.misconception == "parameters"
    assert "step.weight" in verdict.message


# callable ------------------------------------------------------------------------------------------------------------


def call_twice(layer, x):  # type: ignore[no-untyped-def]
    return layer(layer(x))


TWICE = Exercise(
    name="call_twice",
    kind="callable",
    points=1,
    section="s",
    reference=call_twice,
    cases=lambda draw: [
        Case("mix", args=(Toy("time_mix", {"time": draw.normal(4, 4), "features": draw.normal(3, 3)}), draw.normal(2, 4, 3)))
    ],
)

WRAP = Exercise(
    name="wrap",
    kind="callable",
    points=1,
    section="s",
    reference=lambda layer: lambda x: -layer(x),
    cases=lambda draw: [
        Case(
            "negated",
            args=(Toy("time_mix", {"time": draw.normal(4, 4), "features": draw.normal(3, 3)}),),
            then=(Call((draw.normal(2, 4, 3),)),),
        )
    ],
)


def test_a_callable_gets_a_toy_layer() -> None:
    assert judge(TWICE, LocalAttempt(call_twice), "s").passed
    assert not judge(TWICE, LocalAttempt(lambda layer, x: layer(x)), "s").passed


def test_what_a_callable_returns_is_called() -> None:
    assert judge(WRAP, LocalAttempt(lambda layer: lambda x: 0 - layer(x)), "s").passed
    assert not judge(WRAP, LocalAttempt(lambda layer: layer), "s").passed
    verdict = judge(WRAP, LocalAttempt(lambda layer: 3), "s")
    assert "int" in verdict.message


# training ------------------------------------------------------------------------------------------------------------


def training_cases(draw):  # type: ignore[no-untyped-def]
    x = draw.normal(64, 2)
    held_out = draw.normal(100, 2)

    def verify(outcome: Outcome) -> str | None:
        predicted = outcome.values[1]
        if not isinstance(predicted, Tensor) or predicted.shape != (100,):
            return "the model should give one number per row"
        share = ((predicted > 0) == (held_out[:, 0] > 0)).float().mean()
        return None if share > 0.9 else f"only {share:.0%} of the new rows are right"

    return [Case("new rows", args=(x, x[:, 0]), then=(Call((held_out,)),), verify=verify, hidden_values=True)]


def train_reference(x: Tensor, y: Tensor):  # type: ignore[no-untyped-def]
    solved = torch.linalg.lstsq(x, y[:, None]).solution
    return lambda rows: (rows @ solved)[:, 0]


TRAINING = Exercise(name="train", kind="training", points=2, section="s", reference=train_reference, cases=training_cases)


def test_training_is_judged_by_predictions() -> None:
    assert judge(TRAINING, LocalAttempt(train_reference), "s").passed
    verdict = judge(TRAINING, LocalAttempt(lambda x, y: lambda rows: -rows[:, 0]), "s")
    assert verdict.points == 0
    assert "0%" in verdict.message
    assert "one number per row" in judge(TRAINING, LocalAttempt(lambda x, y: lambda rows: rows), "s").message


# choice --------------------------------------------------------------------------------------------------------------

CHOICE = Choice(
    name="colour",
    points=1,
    section="s",
    right="b",
    options={"a": Option("red", "Red is warm.", "warm"), "b": Option("blue", "Blue is cold.")},
)


@pytest.mark.parametrize(
    ("answer", "status", "slug"),
    [
        ("b", "passed", None),
        (" B ", "passed", None),
        ("a", "failed", "warm"),
        (None, "not started", None),
        ("x", "failed", "not-an-option"),
        (3, "failed", "not-an-option"),
    ],
)
def test_a_choice_explains_every_option(answer: object, status: str, slug: str | None) -> None:
    verdict = judge(CHOICE, LocalAttempt(answer), "s")
    assert (verdict.status, verdict.misconception) == (status, slug)


def test_the_card_of_a_choice_is_its_explanation_and_nothing_else() -> None:
    text = card.as_text(judge(CHOICE, LocalAttempt("a")))
    assert not any(line.rstrip().endswith(":") for line in text.splitlines())
    assert "cases" not in text


def test_a_choice_without_a_right_option_is_refused() -> None:
    with pytest.raises(ValueError, match="right option"):
        Choice(name="c", points=1, section="s", right="z", options={"a": Option("x", "y", "s")})
    with pytest.raises(ValueError, match="slug"):
        Choice(name="c", points=1, section="s", right="a", options={"a": Option("x", "y"), "b": Option("x", "y")})


def test_truth_values_are_told_as_such() -> None:
    from course_utils.compare import difference

    assert difference(True, False, 1e-5) == "the result is False, expected True"
    assert (
        difference(torch.tensor([True, False]), torch.tensor([True, True]), 1e-5)
        == "1 of 2 values differ; the result at [1] is True, expected False"
    )
