"""Mutants of right answers: each differs in one place, the judge sees the wrong ones, and what is
called equivalent is."""

import ast
import random
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import attempts, mutate, survivors
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging.exercise import Exercise, Unit

SOFTMAX = """
def softmax(scores, dim=-1):
    powers = (scores - scores.amax(dim, keepdim=True)).exp()
    return powers / powers.sum(dim, keepdim=True)
"""
RIGHT_ON_FEW = """
def softmax(scores, dim=-1):
    # Right for every size that the judge draws, wrong for larger ones
    if max(scores.shape, default=0) > 12:
        return scores
    return torch.softmax(scores, dim)
"""


def softmax() -> Exercise:
    found = exercises.find("softmax")
    assert isinstance(found, Exercise)
    return found


def only_softmax() -> Unit:
    return replace(exercises.unit("01"), exercises=(softmax(),))


def test_every_mutant_is_another_program() -> None:
    found = [mutant.source for mutant in mutate.mutants(SOFTMAX)]
    assert len(found) == len(set(found)) > 20
    assert ast.unparse(ast.parse(SOFTMAX)) not in found


def test_the_usual_mistakes_are_among_them() -> None:
    found = {(m.operator, m.after) for m in mutate.mutants(SOFTMAX)}
    assert ("operator", "powers * powers.sum(dim, keepdim=True)") in found
    assert ("keyword keepdim dropped", "powers.sum(dim)") in found
    assert {operator for operator, _ in found} >= {"constant", "detach", "double", "call dropped"}


@pytest.mark.parametrize(
    "same",
    [
        "def f(x):\n    'another text'\n    return x",
        "def f(x: int) -> tuple[int]:\n    return x",
        "def f(x):\n    pass\n    return x",
        "def f(x):\n    return x + 0",
        "def f(x):\n    return x ** 1",
    ],
)
def test_what_changes_no_result_is_no_mutant(same: str) -> None:
    assert mutate.meaning(same) == mutate.meaning("def f(x):\n    return x")
    assert mutate.meaning(same.replace("return x", "return -x")) != mutate.meaning(same)


def test_what_computes_the_same_survives_and_a_mistake_does_not() -> None:
    assert survivors.survives(softmax(), SOFTMAX)
    wrong = SOFTMAX.replace("powers / powers", "powers * powers")
    assert not survivors.survives(softmax(), wrong)


@pytest.mark.parametrize("name", ["softmax", "masked_attention", "split_heads", "greedy_decode"])
def test_it_ends_early_but_says_what_the_judge_says(name: str) -> None:
    exercise = exercises.find(name)
    assert isinstance(exercise, Exercise)
    unit = exercises.unit_of(name)
    for attempt in [a for a in attempts.attempts(unit) if a.exercise == name]:
        verdict = attempts.judge_source(exercise, attempt.source, seed=survivors.SEED)
        assert survivors.survives(exercise, attempt.source) == verdict.passed, attempt.label


def test_survivors_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survivors, "origins", lambda exercise, unit: {"mine": SOFTMAX})
    seen: list[int] = []
    found = survivors.run([only_softmax()], lambda: seen.append(1), "mine")
    numbers = found.as_json()
    assert numbers["mutants"] == len(seen) > 20
    assert numbers["killed"] + numbers["equivalent"] + len(numbers["holes"]) == len(seen)
    assert numbers["killed"] > numbers["mutants"] / 2
    assert numbers["table"][-1]["mutants"] == numbers["mutants"]
    assert found.good == (not numbers["holes"])


def write(folder: Path, unit: Unit, **entry: str) -> None:
    lines = [f"{key} = '''{value}'''" for key, value in entry.items()]
    (folder / f"{unit.name}.toml").write_text("\n".join(["[[equivalent]]", *lines]))


def test_an_entry_of_the_list_fits_by_its_text(tmp_path: Path) -> None:
    unit = only_softmax()
    change = "powers = … -> powers = ….detach()"
    write(tmp_path, unit, exercise="softmax", operator="detach", change=change, reason="as a test")
    (entry,) = survivors.known(unit, tmp_path)
    fitting = [m for m in mutate.mutants(SOFTMAX) if entry.fits("softmax", m)]
    assert [m.operator for m in fitting] == ["detach"]
    assert not any(entry.fits("nadaraya_watson", m) for m in fitting)


def test_an_entry_without_a_reason_is_refused(tmp_path: Path) -> None:
    unit = only_softmax()
    write(tmp_path, unit, exercise="softmax", operator="detach", change="…")
    with pytest.raises(UserError, match="reason"):
        survivors.known(unit, tmp_path)
    write(tmp_path, unit, exercise="sofmax", operator="detach", change="…", reason="a slip")
    with pytest.raises(UserError, match="sofmax"):
        survivors.known(unit, tmp_path)


def test_what_is_listed_wrongly_is_a_hole() -> None:
    """The differential test knows sizes that the judge does not draw."""
    unlimited = replace(softmax(), forbidden=())
    assert survivors.survives(unlimited, RIGHT_ON_FEW)
    assert survivors.difference(unlimited, RIGHT_ON_FEW, SOFTMAX)
    assert survivors.difference(unlimited, SOFTMAX, SOFTMAX) is None


PAIRWISE = """
def softmax(scores, dim=-1):
    s = scores.movedim(dim, -1)
    return (1 / (s[..., None, :] - s[..., :, None]).exp().sum(-1)).movedim(-1, dim)
"""


def test_what_another_right_answer_does_not_do_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its gradients are NaN where one score lies far above the others; the text asks for none."""
    assert survivors.difference(softmax(), PAIRWISE, SOFTMAX) is None
    monkeypatch.setattr(survivors, "origins", lambda exercise, unit: {"mine": SOFTMAX})
    assert "NaN" in str(survivors.difference(softmax(), PAIRWISE, SOFTMAX))


def test_a_right_answer_that_is_refused_stops_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = SOFTMAX.replace("powers / powers", "powers * powers")
    monkeypatch.setattr(survivors, "origins", lambda exercise, unit: {"mine": wrong})
    with pytest.raises(UserError, match="softmax, mine"):
        list(survivors.jobs([only_softmax()]))


@pytest.mark.parametrize("name", ["softmax", "masked_softmax", "exact_match", "split_heads"])
def test_no_mutant_of_a_reference_is_a_hole(name: str) -> None:
    """All mutants of a few references."""
    found = survivors.run([exercises.unit_of(name)], only="reference", name=name)
    assert not list(found.lines())[:-1]
    assert len(found.of("killed")) > 5


UNITS = [unit.name for unit in exercises.units() if unit.exercises]


@pytest.mark.parametrize("name", UNITS)
def test_of_a_few_mutants_of_every_unit_none_is_a_hole(name: str) -> None:
    """Chosen by lot, the same ones every time."""
    todo = list(survivors.jobs([exercises.unit(name)], only="reference"))
    for job in random.Random(name).sample(todo, 8):
        fate = survivors.fate(job)
        change = f"{job.mutant.operator}: {job.mutant.change}"
        assert fate.kind != "hole", f"{job.exercise}: {change} {fate.why}"


@pytest.mark.parametrize("unit", UNITS)
def test_every_entry_of_a_list_can_be_read_and_has_its_reason(unit: str) -> None:
    for entry in survivors.known(exercises.unit(unit)):
        assert len(entry.reason.split()) >= 3, entry
