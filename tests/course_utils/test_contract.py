"""The exercise contract: all five kinds, every way to fail, partial credit, and names for
misconceptions."""

import ast
import dataclasses
import time
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from course_utils.judging import card
from course_utils.judging.compare import show
from course_utils.judging.draw import Draw
from course_utils.judging.exercise import (
    Call,
    Case,
    Choice,
    Exercise,
    Forbidden,
    Option,
    Outcome,
    Property,
    Unit,
)
from course_utils.judging.judge import LocalAttempt, Verdict, judge, secret_seeds
from course_utils.judging.runner import play, play_all
from course_utils.judging.toys import Toy

Layer = Callable[[Tensor], Tensor]


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
        Property(
            "doubles the sum",
            lambda case, got: (
                None if abs(got.value.sum() - 2 * case.args[0].sum()) < 1e-4 else "it does not"
            ),
        ),
    ),
    forbidden=(Forbidden("no torch.add", names=("add",)),),
    limit=0.5,
)

DOUBLE.misconception("squared", "Squared", "You multiply x with itself.", lambda x: x * x)

DOUBLE.misconception(
    "power",
    "A power",
    "Two to the power of x.",
    lambda x: x * x,
    syntax=lambda t: any(isinstance(n, ast.Pow) for n in ast.walk(t)),
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
    assert verdict.points == pytest.approx(
        5 * 4 / 5
    )  # the edge group is lost, basis and properties stay
    assert "TypeError" in next(c.message for c in verdict.cases if c.visible and not c.passed)


@pytest.mark.parametrize(
    ("function", "slug", "words"),
    [
        (lambda x: None, "returns-nothing", "None"),
        (lambda x: x * x, "squared", "itself"),
        (lambda x: (2 * x).detach(), "no-gradient", "graph"),
        (lambda x: (2 * x).detach(), "no-gradient", "no gradient reaches `x`"),
        (lambda x: x + (x, x), "tuple-not-unpacked", "`(lambda x: x + (x, x),"),
        (lambda x: torch.relu((x, x)), "tuple-not-unpacked", "unpack the tuple"),  # type: ignore[arg-type]
        (lambda x: (x, x).sum(), "tuple-not-unpacked", "unpack the tuple"),  # type: ignore[attr-defined]
        (
            lambda x: torch.zeros("3"),  # type: ignore[arg-type]
            None,
            "TypeError",
        ),  # its message has a tuple in it too, but of another kind
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
def test_each_way_to_be_wrong_gets_a_clear_sentence(
    function: object, slug: str | None, words: str
) -> None:
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
    assert (
        attempt(right, "def double(x):\n    return getattr(torch, 'add')(x, x)").status
        == "not allowed"
    )
    assert (
        attempt(
            right, "from torch import add as plus\ndef double(x):\n    return plus(x, x)"
        ).status
        == "not allowed"
    )


@pytest.mark.parametrize(
    "source",
    ["def double(x):\n    ...  # YOUR CODE HERE", 'def double(x):\n    """Doc."""\n    ...'],
)
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
    from course_utils.judging.draw import Draw
    from course_utils.judging.judge import VISIBLE_SEED

    visible = DOUBLE.cases(Draw(VISIBLE_SEED))

    def coded(x: Tensor) -> Tensor:
        refuse_text(x)
        for case in visible:
            if (
                isinstance(case.args[0], Tensor)
                and case.args[0].shape == x.shape
                and torch.equal(case.args[0], x)
            ):
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
    assert (
        len({*secret_seeds("a", "x", 3), *secret_seeds("a", "y", 3), *secret_seeds("b", "x", 3)})
        == 9
    )


# module -------------------------------------------------------------------------------------------


class Counter(nn.Module):
    """Adds a learned step to a running total."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.step = nn.Linear(dim, dim)
        self.total: Tensor | float = 0.0

    def forward(self, x: Tensor) -> Tensor:
        total: Tensor = self.total + self.step(x)
        self.total = total
        return total

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


def counter_cases(draw: Draw) -> list[Case]:
    weights = {"step.weight": draw.normal(3, 3), "step.bias": draw.normal(3)}
    x, y = draw.normal(2, 3), draw.normal(2, 3)
    return [
        Case("one call", init=(3,), weights=weights, args=(x,), gradients=True),
        Case(
            "two calls",
            init=(3,),
            weights=weights,
            args=(x,),
            then=(Call((y,)), Call(method="reset"), Call((y,))),
        ),
    ]


COUNTER = Exercise(
    name="Counter",
    kind="module",
    points=2,
    section="s",
    reference=Counter,
    cases=counter_cases,
)

COUNTER.misconception("forgetful", "Forgets", "Nothing is kept.", Forgetful)


def test_a_module_gets_its_weights_and_keeps_its_state() -> None:
    assert judge(COUNTER, LocalAttempt(Counter), "s").passed
    assert judge(COUNTER, LocalAttempt(Forgetful), "s").misconception == "forgetful"


def test_missing_parameters_are_named() -> None:
    verdict = judge(COUNTER, LocalAttempt(Unregistered), "s")
    assert verdict.misconception == "parameters"
    assert "step.weight" in verdict.message


# callable -----------------------------------------------------------------------------------------


def call_twice(layer: Layer, x: Tensor) -> Tensor:
    return layer(layer(x))


TWICE = Exercise(
    name="call_twice",
    kind="callable",
    points=1,
    section="s",
    reference=call_twice,
    cases=lambda draw: [
        Case(
            "mix",
            args=(
                Toy("time_mix", {"time": draw.normal(4, 4), "features": draw.normal(3, 3)}),
                draw.normal(2, 4, 3),
            ),
        )
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


# training -----------------------------------------------------------------------------------------


def training_cases(draw: Draw) -> list[Case]:
    x = draw.normal(64, 2)
    held_out = draw.normal(100, 2)

    def verify(outcome: Outcome) -> str | None:
        predicted = outcome.values[1]
        if not isinstance(predicted, Tensor) or predicted.shape != (100,):
            return "the model should give one number per row"
        share = ((predicted > 0) == (held_out[:, 0] > 0)).float().mean()
        return None if share > 0.9 else f"only {share:.0%} of the new rows are right"

    return [
        Case(
            "new rows",
            args=(x, x[:, 0]),
            then=(Call((held_out,)),),
            verify=verify,
            hidden_values=True,
        )
    ]


def train_reference(x: Tensor, y: Tensor) -> Layer:
    solved = torch.linalg.lstsq(x, y[:, None]).solution
    return lambda rows: (rows @ solved)[:, 0]


TRAINING = Exercise(
    name="train",
    kind="training",
    points=2,
    section="s",
    reference=train_reference,
    cases=training_cases,
)


def test_training_is_judged_by_predictions() -> None:
    assert judge(TRAINING, LocalAttempt(train_reference), "s").passed
    verdict = judge(TRAINING, LocalAttempt(lambda x, y: lambda rows: -rows[:, 0]), "s")
    assert verdict.points == 0
    assert "0%" in verdict.message
    assert (
        "one number per row"
        in judge(TRAINING, LocalAttempt(lambda x, y: lambda rows: rows), "s").message
    )


# choice -------------------------------------------------------------------------------------------

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
        Choice(
            name="c",
            points=1,
            section="s",
            right="a",
            options={"a": Option("x", "y"), "b": Option("x", "y")},
        )


def test_truth_values_are_told_as_such() -> None:
    from course_utils.judging.compare import difference

    assert difference(True, False, 1e-5) == "the result is False, expected True"
    assert (
        difference(torch.tensor([True, False]), torch.tensor([True, True]), 1e-5)
        == "1 of 2 values differ; the result at [1] is True, expected False"
    )


def tripling() -> Exercise:
    return Exercise(
        name="triple",
        points=1,
        section="s",
        reference=lambda x: 3 * x,
        cases=lambda draw: [Case("a vector", args=(draw.normal(3),))],
    )


def test_several_pieces_of_code_make_one_mistake() -> None:
    exercise = tripling()
    wrong_number = exercise.misconception("wrong-number", "A wrong number", "Three.", lambda x: x)

    @wrong_number
    def doubled(x: Tensor) -> Tensor:
        return 2 * x

    @exercise.misconception("sign", "The sign", "Positive.")
    def negative(x: Tensor) -> Tensor:
        return -3 * x

    assert [m.slug for m in exercise.misconceptions] == ["wrong-number", "sign"]
    for code, slug in (
        (doubled, "wrong-number"),
        (lambda x: x.clone(), "wrong-number"),
        (negative, "sign"),
        (lambda x: 5 * x, None),
    ):
        assert judge(exercise, LocalAttempt(code), "s").misconception == slug


def test_of_two_that_fit_the_most_specific_is_named_and_on_a_tie_the_first() -> None:
    exercise = tripling()
    exercise.misconception("first", "First", "A hint.", lambda x: 2 * x)
    exercise.misconception("second", "Second", "A hint.", lambda x: x + x)
    assert judge(exercise, LocalAttempt(lambda x: 2 * x), "s").misconception == "first"
    exercise.misconception("by-syntax", "S", "A hint.", lambda x: 2 * x, syntax=lambda tree: True)
    source = "triple = lambda x: 2 * x"
    assert judge(exercise, LocalAttempt(lambda x: 2 * x, source), "s").misconception == "by-syntax"


def test_misconceptions_are_borrowed_from_another_exercise() -> None:
    triple = tripling()
    triple.misconception("doubled", "Doubled", "A hint.", lambda x: 2 * x, lambda x: x + x)
    triple.misconception("nothing", "Nothing", "A hint.", lambda x: x)
    triple.misconception("seen", "Seen", "A hint.", syntax=lambda tree: False)

    def exercise() -> Exercise:
        return Exercise("six", 1, "s", lambda x: 6 * x, triple.cases)

    def through(variant: Layer) -> Layer:
        return lambda x: 2 * variant(x)

    some, others = exercise(), exercise()
    some.borrow(triple, through, only=("doubled",))
    others.borrow(triple, through, but=("doubled",))
    assert [m.slug for m in some.misconceptions] == ["doubled"]
    assert [m.slug for m in others.misconceptions] == ["nothing"]
    assert len(some.misconceptions[0].variants) == 2
    assert judge(some, LocalAttempt(lambda x: 4 * x), "s").misconception == "doubled"
    assert judge(others, LocalAttempt(lambda x: 2 * x), "s").misconception == "nothing"
    assert judge(triple, LocalAttempt(lambda x: 2 * x), "s").misconception == "doubled"


def test_a_misconception_that_would_fit_everything_is_refused() -> None:
    exercise = tripling()
    exercise.misconception("forgotten", "No code", "A hint.")
    with pytest.raises(ValueError, match="'forgotten' needs code"):
        Unit("01_unit", "Title", (exercise,))


def test_a_symptom_that_stumbles_names_nothing() -> None:
    exercise = tripling()
    exercise.misconception("seen", "Seen", "A hint.", symptom=lambda case, got: got.value[9] > 0)
    verdict = judge(exercise, LocalAttempt(lambda x: x.sum()), "s")
    assert (verdict.misconception, verdict.points) == (None, 0)
    exercise.misconception("summed", "Summed", "A hint.", symptom=lambda case, got: True)
    assert judge(exercise, LocalAttempt(lambda x: x.sum()), "s").misconception == "summed"


def test_a_misconception_may_be_taught_in_another_section() -> None:
    exercise = tripling()
    exercise.misconception("doubled", "Doubled", "A hint.", lambda x: 2 * x, section="Doubling")
    assert judge(exercise, LocalAttempt(lambda x: 2 * x), "s").section == "Doubling"
    assert judge(exercise, LocalAttempt(lambda x: 5 * x), "s").section == exercise.section


def test_code_that_is_kept_waiting_is_not_called_endless() -> None:
    """Waiting is no work: what sleeps for longer than the limit stands for a busy machine."""

    def kept_waiting(x: Tensor) -> Tensor:
        time.sleep(0.6)
        return 2 * x

    outcomes = play_all([Case("some", args=(torch.ones(2),))], kept_waiting, 0.5)
    assert outcomes[0].failure is None


def test_what_waits_for_ever_ends_as_well() -> None:
    def waits(x: Tensor) -> Tensor:
        while True:
            time.sleep(0.001)

    outcomes = play_all([Case("some", args=(torch.ones(2),))], waits, 0.05)
    assert outcomes[0].failure is not None
    assert outcomes[0].failure.kind == "time"


def test_a_model_shows_its_table_if_that_is_small_and_all_of_it() -> None:
    small = Toy("table_model", {"table": torch.tensor([[[1.5, 0.25], [0.5, 2.0]]])})
    assert "block t, row i" in show(small)
    assert "[1.5000  0.2500]" in show(small)
    more = Toy("table_model", {**small.weights, "history": torch.ones(1, 2, 2)})
    assert show(more) == "a small model of the course, of 2 words"
    without = Toy("table_model", {**small.weights, "history": torch.zeros(1, 2, 2)})
    assert show(without) == show(small)
    large = Toy("table_step", {"table": torch.rand(3, 7, 7)}, {"eos": 1})
    assert show(large) == "a small decoder of the course, of 7 words"


def test_a_card_shows_what_a_layer_does_and_the_calls_that_follow() -> None:
    toy = Toy("time_mix", {"time": torch.tensor([[1.0, 0.0], [2.0, 1.0]])})
    assert show(toy).splitlines()[1:] == ["[1  0]", "[2  1]"]
    assert "seed 7" in show(torch.Generator().manual_seed(7))


# cards --------------------------------------------------------------------------------------------


def test_torchs_own_not_implemented_is_an_error_like_others() -> None:
    def answer(x: Tensor) -> Tensor:
        return (x > 0).softmax(-1)

    verdict = attempt(answer)
    assert verdict.status == "failed"
    assert "NotImplementedError" in card.as_text(verdict)


def test_an_error_of_the_students_own_code_comes_before_its_name() -> None:
    exercise = tripling()
    exercise.misconception("two", "Two arguments", "A hint.", lambda x: torch.add(x))  # type: ignore[call-overload]
    verdict = judge(exercise, LocalAttempt(lambda x: torch.add(x)), "s")  # type: ignore[call-overload]
    text = card.as_text(verdict)
    assert verdict.misconception == "two"
    assert text.index("It raised TypeError in your line") < text.index("Two arguments")


def test_an_error_of_the_same_type_is_not_yet_the_same_mistake() -> None:
    exercise = tripling()
    exercise.misconception("none", "Nothing comes back", "A hint.", lambda x: None + x)
    assert judge(exercise, LocalAttempt(lambda x: "a" + 3), "s").misconception is None  # type: ignore[operator]


def test_a_choice_says_what_was_chosen_and_not_as_a_verdict() -> None:
    verdict = judge(CHOICE, LocalAttempt("a"))
    assert "You chose a: red" in card.as_text(verdict)
    assert "<strong>You chose" not in card.as_html(verdict)


def test_emphasis_is_set_and_code_is_left_alone() -> None:
    verdict = judge(CHOICE, LocalAttempt("a"))
    shown = card.as_html(dataclasses.replace(verdict, message="The *next* token, `a * b * c`."))
    assert "<em>next</em>" in shown
    assert "<code>a * b * c</code>" in shown
    assert "*next*" not in card.as_text(dataclasses.replace(verdict, message="The *next* one"))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (right, "Full points"),
        (double, "edge cases (1 of 5 parts)"),
        (lambda x: 3 * x, "only on top of a right basis"),
    ],
)
def test_the_card_says_how_the_points_came_about(function: object, words: str) -> None:
    verdict = attempt(function)
    assert words in " ".join(card.as_text(verdict).split())
    assert words in card.as_html(verdict)


def test_a_change_in_place_costs_the_same_with_gradients_as_without() -> None:
    for gradients in (True, False):
        case = Case("a vector", args=(torch.ones(3),), gradients=gradients)
        exercise = Exercise("answer", 4, "s", lambda x: 2 * x, lambda draw, case=case: [case])  # type: ignore[misc]
        verdict = judge(exercise, LocalAttempt(lambda x: x.mul_(2)))
        assert (verdict.points, verdict.misconception) == (3.0, "changes-its-input")


def test_a_change_in_place_of_what_the_graph_needs_costs_no_more() -> None:
    """`amax` remembers its input for the gradient, and torch refuses to go on once it changed; of a
    tensor that the answer made itself, that is its own mistake."""
    x = torch.tensor([[1.0, 2.0, 4.0]])
    case = Case("gradients", args=(x,), gradients=True)

    def shifted(scores: Tensor) -> Tensor:
        return scores - scores.amax(-1, keepdim=True)

    def in_place(scores: Tensor) -> Tensor:
        scores -= scores.amax(-1, keepdim=True)
        return scores

    def spoils_its_own(scores: Tensor) -> Tensor:
        own = scores.exp()
        own += 1
        return own

    wanted, got = play(case, shifted), play(case, in_place)
    assert got.changed == (0,)
    assert torch.equal(got.value, wanted.value)
    ours, theirs = got.gradients["argument 0"], wanted.gradients["argument 0"]
    assert ours is not None
    assert theirs is not None
    assert torch.equal(ours, theirs)
    spoilt = play(case, spoils_its_own).failure
    assert spoilt is not None
    assert "inplace" in spoilt.message
