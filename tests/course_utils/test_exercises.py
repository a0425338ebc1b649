"""How an exercise is found: by its file, and without loading the other units."""

import subprocess
import sys

import pytest

from autograder.course import SOURCE_TREE
from course_utils import exercises
from course_utils.judging.exercise import Exercise

NAMES = [exercise.name for unit in exercises.units() for exercise in unit.exercises]


@pytest.mark.parametrize("name", NAMES)
def test_every_exercise_is_found_in_its_unit(name: str) -> None:
    assert exercises.find(name).name == name
    assert exercises.find(name) in exercises.unit_of(name).exercises


@pytest.mark.slow
def test_to_find_an_exercise_loads_its_unit_alone() -> None:
    code = """
import sys
from autograder.course import SOURCE_TREE
from course_utils import exercises
exercises.find("causal_mask")
loaded = [name.split(".") for name in sys.modules if name.startswith("course_utils.exercises.")]
print(*sorted({parts[2] for parts in loaded}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["masking"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("causal_msk", "Did you mean causal_mask"),
        ("CAUSAL_MASK", "no exercise called"),
        ("_shared", "no exercise called"),
        ("__init__", "no exercise called"),
        ("../masking/causal_mask", "no exercise called"),
        ("", "no exercise called"),
    ],
)
def test_what_is_no_exercise_is_not_found(name: str, words: str) -> None:
    with pytest.raises(KeyError, match=words):
        exercises.find(name)


def test_a_file_that_its_unit_does_not_list_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exercises, "_folders", lambda: {"forgotten": "masking"})
    with pytest.raises(KeyError, match="'forgotten' is not in the UNIT of its folder"):
        exercises.find("forgotten")


def test_every_misconception_has_its_words_once() -> None:
    """Two of one slug differ in title, hint or syntax; else they are one with several variants."""
    for name in NAMES:
        exercise = exercises.find(name)
        if isinstance(exercise, Exercise):
            keys = [(m.slug, m.title, m.hint, m.syntax) for m in exercise.misconceptions]
            assert len(keys) == len(set(keys)), name


def test_where_a_misconception_is_taught_is_a_heading_of_the_lecture() -> None:
    """The section of the exercise is looked for elsewhere; this is about those that differ."""
    found = 0
    for unit in exercises.units():
        path = SOURCE_TREE / "lectures" / f"{unit.name}.py"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        for exercise in unit.exercises:
            for known in getattr(exercise, "misconceptions", ()):
                found += bool(known.section)
                assert not known.section or f"# ## {known.section}" in lines, known.slug
    assert found
