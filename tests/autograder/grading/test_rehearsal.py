"""What the judge knows before a run: the same from a file as computed, and never of other code."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.grading import rehearsal
from course_utils import exercises
from course_utils.judging.compare import outcome_difference
from course_utils.judging.exercise import Exercise, Unit
from course_utils.judging.judge import VISIBLE_SEED, expected_of, rehearsed, variant_outcomes
from course_utils.judging.runner import Outcome

pytestmark = pytest.mark.slow

VERSION = "this code"


def forget() -> None:
    rehearsed.clear()
    rehearsal._needed.clear()
    expected_of.cache_clear()
    variant_outcomes.cache_clear()


@pytest.fixture(autouse=True)
def _as_in_a_fresh_process() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.fixture
def unit() -> Unit:
    return exercises.unit("03_masking")


def everything(unit: Unit) -> dict[tuple[str, int], tuple[Outcome, ...]]:
    found = {}
    for exercise in unit.exercises:
        if isinstance(exercise, Exercise):
            found[exercise.name, -1] = expected_of(exercise, VISIBLE_SEED)
            variants = [v for known in exercise.misconceptions for v in known.variants]
            for number, variant in enumerate(variants):
                found[exercise.name, number] = variant_outcomes(exercise, variant, VISIBLE_SEED)
    return found


def test_what_is_read_is_what_was_computed(unit: Unit, tmp_path: Path) -> None:
    kept = tmp_path / "kept.bin"
    rehearsal.rehearse(unit, kept, VERSION)
    assert not rehearsed, "nothing was there to be read"
    computed, seconds = everything(unit), dict(rehearsal._needed)
    forget()
    rehearsal.rehearse(unit, kept, VERSION, large=False)
    assert len(rehearsed) == len(computed) > 30
    assert rehearsal._needed == pytest.approx(seconds)
    read = everything(unit)
    assert read.keys() == computed.keys()
    for where, outcomes in read.items():
        for got, want in zip(outcomes, computed[where], strict=True):
            assert outcome_difference(want, got, 0.0) is None, where
            assert (got.changed, got.failure) == (want.changed, want.failure), where


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:12] + b"[]" + data[14:],
        lambda data: data[:-8],
        lambda data: data.replace(b'"causal_mask"', b'"causal_musk"'),
    ],
)
def test_a_damaged_file_is_not_believed(unit: Unit, tmp_path: Path, damage: object) -> None:
    kept = tmp_path / "kept.bin"
    rehearsal.rehearse(unit, kept, VERSION)
    whole = kept.read_bytes()
    assert callable(damage)
    kept.write_bytes(damage(whole))
    assert kept.read_bytes() != whole
    forget()
    rehearsal.rehearse(unit, kept, VERSION, large=False)
    assert not rehearsed


def test_other_code_rehearses_anew(unit: Unit, tmp_path: Path) -> None:
    kept = tmp_path / "kept.bin"
    rehearsal.rehearse(unit, kept, "older code")
    forget()
    rehearsal.rehearse(unit, kept, VERSION)
    assert not rehearsed
    assert VERSION.encode() in kept.read_bytes()


def test_a_small_class_computes_nothing_in_advance(unit: Unit, tmp_path: Path) -> None:
    rehearsal.rehearse(unit, tmp_path / "kept.bin", VERSION, large=False)
    assert not rehearsal._needed
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_costs_only_time(unit: Unit, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    rehearsal.rehearse(unit, tmp_path / "file" / "kept.bin", VERSION)
    assert rehearsal._needed
