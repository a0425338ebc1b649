"""The bank: how attempts are written down, and that a mistake in writing them down is found."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.authoring import attempts as bank
from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from course_utils import exercises
from course_utils.judging.exercise import Choice, Exercise
from course_utils.judging.judge import Verdict

# Names that the judge gives in every exercise
GENERAL = {"no-gradient", "changes-its-input", "parameters", "not-allowed", "swapped-results"}

FILE = """\
# %% right: loop
def causal_mask(length):
    return [[j <= i for j in range(length)] for i in range(length)]


# %% wrong: strict (strict-mask)
LIMIT = 512  # %% not a cell


def causal_mask(length):
    return None

# %% wrong: fixed_size (no name)
causal_mask = 1
"""


def written(folder: Path, text: str, name: str = "causal_mask") -> Path:
    path = folder / "03_masking" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_attempts_are_cells(tmp_path: Path) -> None:
    found = bank.read_attempts(written(tmp_path, FILE))
    assert [(a.name, a.right, a.slug) for a in found] == [
        ("loop", True, None),
        ("strict", False, "strict-mask"),
        ("fixed_size", False, None),
    ]
    assert found[1].source.startswith("LIMIT = 512")
    assert found[2].source == "causal_mask = 1\n"
    assert found[0].label == "03_masking/causal_mask: loop"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must begin with a cell"),
        ("x = 1\n# %% right: a\n", "must begin with a cell"),
        ("# %% right: a\n# %% right: a\n", "two attempts called a"),
        ("# %% wrong: a\n", "should be"),
        ("# %% right: a (strict-mask)\n", "should be"),
        ("# %% right: a\n# %% rigth: b\n", "should be"),
        ("# %% right: a\n# %%\nx = 1\n", "should be"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        bank.read_attempts(written(tmp_path, text))


def test_attempts_at_a_choice_are_its_options(tmp_path: Path) -> None:
    unit = exercises.unit("03")
    choice = exercises.find("choice_zero_score")
    assert isinstance(choice, Choice)
    found = [a for a in bank.attempts(unit, tmp_path) if a.exercise == choice.name]
    assert {a.name for a in found} == set(choice.options)
    for attempt in found:
        verdict = bank.judge_attempt(attempt)
        assert verdict.passed == attempt.right == (attempt.name == choice.right)
        assert verdict.misconception == attempt.slug
    written(tmp_path, '# %% right: c\nchoice_zero_score = "c"\n', "choice_zero_score")
    with pytest.raises(UserError, match="no exercise 'choice_zero_score'"):
        bank.attempts(unit, tmp_path)


def test_an_attempt_is_judged_by_its_name_or_from_a_file(tmp_path: Path) -> None:
    exercise = exercises.find("causal_mask")
    strict = bank.judge_file_or_attempt(exercise, "strict")
    assert strict.misconception == "strict-mask"
    attempt = next(a for a in bank.attempts(exercises.unit("03")) if a.name == "strict")
    path = tmp_path / "strict"
    path.write_text(attempt.source)
    assert bank.judge_file_or_attempt(exercise, str(path)).message == strict.message
    with pytest.raises(UserError, match=r"no file no_such.py.*loop"):
        bank.judge_file_or_attempt(exercise, "no_such.py")


WRITTEN = [a for unit in exercises.units() for a in bank.attempts(unit, bank.WRITTEN)]


def test_what_others_wrote_is_labelled_with_names_that_exist() -> None:
    assert sum(not attempt.right for attempt in WRITTEN) > 200
    for attempt in [attempt for attempt in WRITTEN if attempt.slug is not None]:
        exercise = exercises.find(attempt.exercise)
        assert isinstance(exercise, Exercise)
        known = {each.slug for each in exercise.misconceptions} | GENERAL
        assert attempt.slug in known, attempt.label


@pytest.mark.parametrize("step", ["written", "written_first"])
def test_what_others_wrote_was_measured(step: str) -> None:
    path = SOURCE_TREE / "docs" / "measured" / f"{step}.json"
    measured = json.loads(path.read_text(encoding="utf-8"))["output"]
    assert measured["wrong"] == sum(not attempt.right for attempt in WRITTEN)
    assert measured["right"] == sum(attempt.right for attempt in WRITTEN)


def judged(right: bool, slug: str | None, points: float, named: str | None) -> bank.Judged:
    attempt = bank.Attempt("03_masking", "causal_mask", "some", right, slug, "")
    return bank.Judged(attempt, points, 2, named)


@pytest.mark.parametrize(
    ("one", "good"),
    [
        (judged(True, None, 2, None), True),
        (judged(True, None, 1, None), False),  # a right one refused
        (judged(False, "strict-mask", 0, "strict-mask"), True),
        (judged(False, "strict-mask", 2, None), False),  # a wrong one accepted
        (judged(False, "strict-mask", 0, None), True),  # not recognised
        (judged(False, "strict-mask", 0, "inverted"), False),
        (judged(False, None, 0, "inverted"), False),
    ],
)
def test_of_what_others_wrote_nothing_is_judged_or_named_wrongly(
    one: bank.Judged, good: bool
) -> None:
    audit = bank.Audit([one], 1, written=True)
    assert audit.good == good
    if not good and one.points < 2 and not one.attempt.right:
        assert [one.attempt.label] == audit.as_json()["wrong_names"]
        assert audit.misnamed() == [(one.attempt.label, one.attempt.slug or "no name", "inverted")]


def test_the_numbers_of_a_card_are_counted() -> None:
    verdict = Verdict("some", "function", "", 0, 1, "failed")
    assert bank.numbers_shown(verdict) is None
    found = (("case", "3 rows"), ("what is wrong", "at [0, 1] is 5"))
    assert bank.numbers_shown(replace(verdict, counterexample=found)) is None
    rows = (
        *found,
        ("x", "shape (1, 2, 2)\n[-1  0.5]\n[ True  1e-05]"),
        ("y", "a tensor of shape (3, 4)"),
        ("made by", "Block(6, 2)"),
    )
    assert bank.numbers_shown(replace(verdict, counterexample=rows)) == 4 + 12 + 2
