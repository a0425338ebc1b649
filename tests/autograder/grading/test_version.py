"""The version of a grader changes with whatever decides about a unit, and with nothing else."""

from pathlib import Path

import pytest

from autograder.grading import version, view
from course_utils import exercises
from course_utils.judging.exercise import Unit

UNITS = exercises.units()


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.module)
def test_what_decides_about_a_unit(unit: Unit) -> None:
    """What is loaded when a unit is imported is what counts, but for the reference code of others
    that only their own exercises need."""
    found = version.deciding_modules(unit.name)
    folder = f"exercises.{unit.module}"
    assert {folder, *(f"{folder}.{exercise.name}" for exercise in unit.exercises)} <= found
    assert {"check", "exercises", "judging.judge", "judging.compare", "judging.runner"} <= found
    others = {each.module for each in UNITS} - {unit.module}
    assert not {name for name in found if name.startswith("exercises.")} & {
        name for other in others for name in view.sources() if name.startswith(f"exercises.{other}")
    }
    if unit.exercises:
        assert unit.module in found


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of course_utils in which a test may change files."""
    import shutil

    copy = tmp_path / "course_utils"
    shutil.copytree(view.SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__", "data"))
    shutil.copytree(
        view.SOURCE / "data", copy / "data", ignore=shutil.ignore_patterns("*.npz", "*.gz")
    )
    monkeypatch.setattr(view, "SOURCE", copy)
    return copy


@pytest.mark.parametrize(
    ("file", "changes"),
    [
        ("exercises/masking/causal_mask.py", True),
        ("exercises/masking/_shared.py", True),
        ("exercises/masking/choice_zero_score.py", True),
        ("exercises/masking/__init__.py", True),
        ("exercises/__init__.py", True),
        ("judging/judge.py", True),
        ("judging/compare.py", True),
        ("judging/toys.py", True),
        ("masking.py", True),
        ("exercises/nadaraya_watson/softmax.py", False),
        ("exercises/image_captioning/_shared.py", False),
        ("exercises/transformer_decoder/beam_search.py", False),
        ("plotting.py", False),
        ("project.py", False),
    ],
)
def test_a_change_counts_where_it_decides(copied: Path, file: str, changes: bool) -> None:
    unit = exercises.unit("03")
    before = version.grader_version(unit.name)
    path = copied / file
    text = path.read_text(encoding="utf-8") if path.exists() else '"""New."""\n'
    path.write_text(f"{text}\n# a change\n", encoding="utf-8")
    assert (version.grader_version(unit.name) != before) == changes


def test_a_new_exercise_counts(copied: Path) -> None:
    unit = exercises.unit("03")
    before = version.grader_version(unit.name)
    (copied / "exercises" / "masking" / "new.py").write_text("EXERCISE = None\n")
    assert version.grader_version(unit.name) != before
