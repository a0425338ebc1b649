"""The project as a whole: what it says of itself, and what must not be in it."""

import re
import subprocess
import tomllib
from pathlib import Path

from autograder.course import SOURCE_TREE
from course_utils import exercises

TEXT = {".py", ".md", ".toml", ".txt", ".ipynb", ".cfg", ".yml", ".yaml", ".html", ".css", ".js", ""}


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE_TREE, capture_output=True, text=True, check=True).stdout
    return [SOURCE_TREE / name for name in listed.split("\0") if name]


def test_no_file_names_a_place_of_one_machine() -> None:
    places = re.compile(r"(?<![\w.])(/(?:work|farm|root)/[\w.]+|\.\./" + "shared)")
    found = [
        f"{path.relative_to(SOURCE_TREE)}: {match.group(0)}"
        for path in tracked()
        if path.suffix in TEXT and path.is_file()
        for match in [places.search(path.read_text(encoding="utf-8", errors="replace"))]
        if match
    ]
    assert found == []


def test_names_are_unique_in_the_course() -> None:
    names = [exercise.name for unit in exercises.units() for exercise in unit.exercises]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,59}", name) for name in names)


def test_every_slug_of_the_bank_is_known() -> None:
    from autograder import bank
    from course_utils.exercise import Choice

    general = {
        "returns-nothing",
        "swapped-results",
        "changes-its-input",
        "no-gradient",
        "endless",
        "parameters",
        "not-allowed",
        "not-an-option",
    }
    for unit in exercises.units():
        for exercise in unit.exercises:
            known = (
                {o.slug for o in exercise.options.values()} if isinstance(exercise, Choice) else {m.slug for m in exercise.misconceptions}
            )
            for variant in bank.variants(unit.name):
                if variant.exercise == exercise.name and variant.slug is not None:
                    assert variant.slug in known | general, f"{variant.path}: {variant.slug} is nowhere defined"


def test_the_bank_is_large_enough() -> None:
    from autograder import bank
    from course_utils.exercise import Choice

    for unit in exercises.units():
        found = bank.variants(unit.name)
        for exercise in unit.exercises:
            wrong = [v for v in found if v.exercise == exercise.name and not v.right]
            right = [v for v in found if v.exercise == exercise.name and v.right]
            if isinstance(exercise, Choice):
                assert sorted(v.path.stem for v in wrong + right) == sorted(exercise.options), exercise.name
            else:
                assert len(wrong) >= 6, exercise.name
                assert len(right) >= 3, exercise.name


def test_wrong_variants_say_what_is_wrong() -> None:
    from autograder import bank

    for unit in exercises.units():
        for variant in bank.variants(unit.name):
            first = variant.path.read_text(encoding="utf-8").splitlines()[0]
            assert first.startswith("# misconception:") != variant.right, variant.path


def test_the_tested_versions_lie_in_the_declared_ranges() -> None:
    from packaging.requirements import Requirement

    project = tomllib.loads((SOURCE_TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = dict(line.split("==") for line in (SOURCE_TREE / "constraints.txt").read_text().split())
    pins = {name.lower(): version for name, version in pins.items()}
    declared = project["dependencies"] + [r for extra in project["optional-dependencies"].values() for r in extra]
    for text in declared:
        requirement = Requirement(text)
        if requirement.name.lower() in pins:
            assert requirement.specifier.contains(pins[requirement.name.lower()]), text
