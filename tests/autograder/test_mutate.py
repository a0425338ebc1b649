"""Mutants of right answers: each differs in one place, the judge sees the wrong ones, and what is
called equivalent is."""

import ast
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import attempts, mutate, mutation, survivors
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging.exercise import Exercise, Unit
from tests.shares import long_where

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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["softmax", "masked_attention", "split_heads", "greedy_decode"])
def test_it_ends_early_but_says_what_the_judge_says(name: str) -> None:
    exercise = exercises.find(name)
    assert isinstance(exercise, Exercise)
    unit = exercises.unit_of(name)
    for attempt in [a for a in attempts.attempts(unit) if a.exercise == name]:
        verdict = attempts.judge_source(exercise, attempt.source, seed=survivors.SEED)
        assert survivors.survives(exercise, attempt.source) == verdict.passed, attempt.label


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is remembered of earlier runs."""
    monkeypatch.setattr(mutation, "KEPT", tmp_path)
    return tmp_path


@pytest.fixture
def mine(kept: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The only right answer is the one above."""
    monkeypatch.setattr(mutation, "origins", lambda exercise, unit: {"mine": SOFTMAX})
    mutation._settled.cache_clear()
    yield kept
    mutation._settled.cache_clear()


def test_survivors_are_sorted(mine: Path) -> None:
    found = mutation.run([only_softmax()], only="mine")
    numbers = found.as_json()
    assert numbers["mutants"] == len(list(mutate.mutants(SOFTMAX))) > 20
    alive = numbers["equivalent"] + len(numbers["holes"])
    assert numbers["killed"] + alive == numbers["mutants"]
    assert numbers["killed"] > numbers["mutants"] / 2
    assert numbers["table"][-1]["mutants"] == numbers["mutants"]
    assert found.good == (not numbers["holes"])


def test_what_is_remembered_is_not_judged_again(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = mutation.run([only_softmax()], only="mine")

    def refuse(task: mutation.Task) -> None:
        raise AssertionError(f"judged again: {[job.origin for job, _ in task]}")

    monkeypatch.setattr(mutation, "_worked", refuse)
    assert mutation.run([only_softmax()], only="mine") == first
    other = SOFTMAX.replace("powers", "parts")
    (job,) = mutation.jobs([only_softmax()], "mine")
    stamp = mutation._stamp("softmax")
    assert mutation.remembered(job, stamp) is not None
    assert mutation.remembered(replace(job, source=other), stamp) is None
    assert mutation.remembered(job, "another exercise") is None


def test_a_stamp_knows_what_an_exercise_imports() -> None:
    path = Path(exercises.__file__).parent / "nadaraya_watson" / "leave_one_out_error.py"
    names = {file.name for file in mutation._imported(path)}
    assert names >= {"leave_one_out_error.py", "_shared.py", "nadaraya_watson.py", "runner.py"}
    assert "_left_out.py" in names  # imported as `from ._left_out`
    assert "gaussian_weights.py" not in names


def test_one_that_never_ends_is_refused_soon(mine: Path) -> None:
    (job,) = mutation.jobs([only_softmax()], "mine")
    endless = "def softmax(scores, dim=-1):\n    while True:\n        pass"
    assert mutation.Judging(job).fault(endless) == survivors.OVER_TIME


def write(folder: Path, unit: Unit, **entry: str) -> None:
    lines = [f"{key} = '''{value}'''" for key, value in entry.items()]
    (folder / f"{unit.name}.toml").write_text("\n".join(["[[equivalent]]", *lines]))


def test_an_entry_of_the_list_fits_by_its_text(tmp_path: Path) -> None:
    unit = only_softmax()
    change = "powers = … -> powers = ….detach()"
    write(tmp_path, unit, exercise="softmax", operator="detach", change=change, reason="as a test")
    (entry,) = mutation.known(unit, tmp_path)
    fitting = [m for m in mutate.mutants(SOFTMAX) if entry.fits("softmax", m)]
    assert [m.operator for m in fitting] == ["detach"]
    assert not any(entry.fits("nadaraya_watson", m) for m in fitting)


def test_an_entry_without_a_reason_is_refused(tmp_path: Path) -> None:
    unit = only_softmax()
    write(tmp_path, unit, exercise="softmax", operator="detach", change="…")
    with pytest.raises(UserError, match="reason"):
        mutation.known(unit, tmp_path)
    write(tmp_path, unit, exercise="sofmax", operator="detach", change="…", reason="a slip")
    with pytest.raises(UserError, match="sofmax"):
        mutation.known(unit, tmp_path)


def test_what_is_listed_wrongly_is_a_hole() -> None:
    """The differential test knows sizes that the judge does not draw."""
    unlimited = replace(softmax(), forbidden=())
    assert survivors.survives(unlimited, RIGHT_ON_FEW)
    assert mutation.difference(softmax(), RIGHT_ON_FEW)
    assert mutation.difference(softmax(), SOFTMAX) is None
    alive = mutation.Alive(next(mutate.mutants(SOFTMAX)), "another shape")
    assert mutation.fate("softmax", "mine", alive).kind == "hole"


PAIRWISE = """
def softmax(scores, dim=-1):
    s = scores.movedim(dim, -1)
    return (1 / (s[..., None, :] - s[..., :, None]).exp().sum(-1)).movedim(-1, dim)
"""


def asked_with(*sources: str) -> tuple[survivors.Asked, ...]:
    targets = [survivors.answer(softmax(), source) for source in sources]
    return survivors.settled(softmax(), [target for target in targets if target is not None])


def test_gradients_that_no_case_asks_for_count_only_where_right_answers_agree() -> None:
    """Those of PAIRWISE are NaN where one score lies far above the others; the text asks for none
    there. Its values are always asked for, and so are gradients of cases that compare them."""
    pairwise = survivors.answer(softmax(), PAIRWISE)
    assert pairwise is not None
    alone, together = asked_with(SOFTMAX), asked_with(SOFTMAX, PAIRWISE)
    assert "NaN" in str(survivors.differs(softmax(), pairwise, alone))
    assert survivors.differs(softmax(), pairwise, together) is None
    assert len(alone) == len(together)
    for (case, _), (less, _), (own, _) in zip(
        alone, together, survivors.further(softmax()), strict=True
    ):
        assert less.gradients or not own.gradients
        assert case.label == less.label


def test_a_right_answer_with_other_values_stops_the_run() -> None:
    with pytest.raises(UserError, match="fails a further case"):
        asked_with(SOFTMAX, RIGHT_ON_FEW)


def test_a_right_answer_that_is_refused_stops_the_run(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = SOFTMAX.replace("powers / powers", "powers * powers")
    monkeypatch.setattr(mutation, "origins", lambda exercise, unit: {"mine": wrong})
    (job,) = mutation.jobs([only_softmax()])
    with pytest.raises(UserError, match="mine: softmax"):
        mutation.judged(job)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["softmax", "masked_softmax", "exact_match", "split_heads"])
def test_no_mutant_of_a_reference_is_a_hole(name: str, kept: Path) -> None:
    """All mutants of a few references."""
    found = mutation.run([exercises.unit_of(name)], only="reference", name=name)
    assert not list(found.lines())[:-1]
    assert found.killed > 5


UNITS = [unit.name for unit in exercises.units() if unit.exercises]


@pytest.mark.slow
@pytest.mark.parametrize("name", long_where(UNITS, lambda name: name[:2] in ("05", "08", "09")))
def test_of_a_few_mutants_of_every_unit_none_is_a_hole(name: str) -> None:
    """Chosen by lot, the same ones every time."""
    every = [
        (job, mutant)
        for job in mutation.jobs([exercises.unit(name)], only="reference")
        for mutant in mutate.mutants(job.source)
    ]
    for job, mutant in random.Random(name).sample(every, 8):
        judging = mutation.Judging(job)
        if judging.fault(mutant.source) is None:
            alive = mutation.Alive(mutant, judging.difference(mutant.source))
            fate = mutation.fate(job.exercise, job.origin, alive)
            assert fate.kind == "equivalent", f"{job.exercise}: {mutant.change} {fate.why}"


@pytest.mark.parametrize("unit", UNITS)
def test_every_entry_of_a_list_can_be_read_and_has_its_reason(unit: str) -> None:
    for entry in mutation.known(exercises.unit(unit)):
        assert len(entry.reason.split()) >= 3, entry
