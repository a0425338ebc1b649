"""The project as a whole: what it says of itself, and what must not be in it."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from autograder.course import SOURCE_TREE
from course_utils import exercises

TEXT = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".ipynb",
    ".cfg",
    ".yml",
    ".yaml",
    ".html",
    ".css",
    ".js",
    "",
}


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=SOURCE_TREE, capture_output=True, text=True, check=True
    ).stdout
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
    from autograder.authoring import attempts as bank
    from course_utils.judging.exercise import Choice

    general = {
        "returns-nothing",
        "swapped-results",
        "changes-its-input",
        "no-gradient",
        "endless",
        "parameters",
        "not-allowed",
        "the-reference",
        "not-an-option",
    }
    for unit in exercises.units():
        for exercise in unit.exercises:
            known = (
                {o.slug for o in exercise.options.values()}
                if isinstance(exercise, Choice)
                else {m.slug for m in exercise.misconceptions}
            )
            for attempt in bank.attempts(unit):
                if attempt.exercise == exercise.name and attempt.slug is not None:
                    assert attempt.slug in known | general, (
                        f"{attempt.label}: {attempt.slug} is nowhere defined"
                    )


def test_the_bank_is_large_enough() -> None:
    from autograder.authoring import attempts as bank
    from course_utils.judging.exercise import Choice

    for unit in exercises.units():
        found = bank.attempts(unit)
        for exercise in unit.exercises:
            wrong = [a for a in found if a.exercise == exercise.name and not a.right]
            right = [a for a in found if a.exercise == exercise.name and a.right]
            if isinstance(exercise, Choice):
                assert sorted(a.name for a in wrong + right) == sorted(exercise.options), (
                    exercise.name
                )
            else:
                assert len(wrong) >= 6, exercise.name
                assert len(right) >= 3, exercise.name


def test_no_attempt_is_in_the_bank_twice() -> None:
    from autograder.authoring import attempts as bank

    for unit in exercises.units():
        found = bank.attempts(unit)
        assert len({a.label for a in found}) == len(found)
        assert len({(a.exercise, a.source) for a in found}) == len(found)


def test_a_folder_is_a_unit_and_a_file_in_it_an_exercise() -> None:
    folder = Path(exercises.__file__).parent
    for unit in exercises.units():
        files = {path.stem for path in (folder / unit.module).glob("[!_]*.py")}
        assert files == {exercise.name for exercise in unit.exercises}


def test_the_tested_versions_lie_in_the_declared_ranges() -> None:
    from packaging.requirements import Requirement

    project = tomllib.loads((SOURCE_TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = dict(line.split("==") for line in (SOURCE_TREE / "constraints.txt").read_text().split())
    pins = {name.lower(): version for name, version in pins.items()}
    declared = project["dependencies"] + [
        r for extra in project["optional-dependencies"].values() for r in extra
    ]
    for text in declared:
        requirement = Requirement(text)
        if requirement.name.lower() in pins:
            assert requirement.specifier.contains(pins[requirement.name.lower()]), text


IMPORTED_WHERE = {  # package -> the extras that may be taken for granted there
    "course_utils": (),
    "drawings": (),
    "autograder": ("instructor", "cluster"),
    "docs/site": ("instructor", "site"),
    "tools": ("instructor", "cluster", "site", "dev"),
    "tests": ("instructor", "cluster", "site", "lab", "dev"),
}


@pytest.mark.parametrize("package", IMPORTED_WHERE)
def test_everything_that_is_imported_is_declared(package: str) -> None:
    from packaging.requirements import Requirement

    project = tomllib.loads((SOURCE_TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = list(project["dependencies"])
    for extra in IMPORTED_WHERE[package]:
        declared += project["optional-dependencies"][extra]
    names = {_canonical(Requirement(text).name) for text in declared}
    ours = {path.name for path in SOURCE_TREE.iterdir() if path.is_dir()}
    providers = packages_distributions()
    missing = {
        module: providers.get(module, ["nobody"])
        for module in _imported(SOURCE_TREE / package) - ours - set(sys.stdlib_module_names)
        if not names & {_canonical(name) for name in providers.get(module, [])}
    }
    assert not missing


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _imported(folder: Path) -> set[str]:
    """The top-level names of all modules that the files of a folder import absolutely."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        if {"variants", "written", "programs"} & set(path.parts):
            continue  # what students write
        local = {other.stem for other in path.parent.glob("*.py")}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                modules = {node.module.split(".")[0]}
            else:
                continue
            found |= modules - local
    return found


def test_every_test_belongs_to_a_gate() -> None:
    from tests.gates import SETS

    paths = [
        word
        for gate in SETS["all"]
        for command in gate.commands
        for word in command
        if word.startswith("tests/")
    ]
    files = [path.relative_to(SOURCE_TREE) for path in (SOURCE_TREE / "tests").rglob("test_*.py")]
    assert len(files) > 50
    without = [file for file in files if not any(file.is_relative_to(path) for path in paths)]
    assert not without


def test_every_module_and_every_guide_has_a_place_on_the_site() -> None:
    site = SOURCE_TREE / "docs" / "site"
    described = "".join(path.read_text("utf-8") for path in site.glob("api/*.md"))
    for package in (SOURCE_TREE / "course_utils", SOURCE_TREE / "drawings"):
        for path in package.rglob("*.py"):
            parts = path.relative_to(package).with_suffix("").parts
            if path.name != "__init__.py" and parts[0] != "exercises":
                assert f"automodule:: {package.name}.{'.'.join(parts)}\n" in described
    listed = "".join(path.read_text("utf-8") for path in site.glob("*.md"))
    for guide in (SOURCE_TREE / "docs").glob("*.md"):
        assert f"<docs/{guide.stem}>" in listed
