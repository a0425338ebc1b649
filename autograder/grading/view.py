"""What a student's process sees of `course_utils`: all but the exercises and the reference code of
this unit and later ones."""

import ast
import re
import shutil
from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from autograder.grading import shown_to_all


def _folder(package: str) -> Path:
    """Where a package is; importing this one would import torch, for seconds."""
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


SOURCE = _folder("course_utils")
HIDDEN = "exercises"  # the one folder with secrets: cases, references, misconceptions
STUBBED = ("__init__", "check")  # replaced by what gives no verdict

PACKAGE = '''"""What students import, as it is while a notebook is graded: without verdicts."""

__version__ = {version!r}


class Later:
    """Stands where a verdict will be: the grader decides elsewhere."""

    def __repr__(self):
        return "This is checked by the grader, after the notebook has run."

    points = verdict = None


def check(answer=None, exercise=None):
    """No verdict is given while a notebook is graded."""
    return Later()


def summary(unit=None):
    return Later()


def ready(*names):
    """Cells that only put a student's parts together are left out: they earn nothing."""
    print("This cell is left out while the notebook is graded.")
    return False
'''
CHECK = '''"""No verdicts while a notebook is graded."""

from course_utils import check, ready, summary

__all__ = ["check", "ready", "summary"]
'''


def sources() -> dict[str, Path]:
    """Every module of course_utils by its name below the package: "masking", "judging.runner"."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name:
            found[name] = path
    return found


def imports(path: Path, known: Collection[str]) -> set[str]:
    """Which of the `known` modules of course_utils a file imports, by their names below it."""
    return {name for name in _imported(path.read_text(encoding="utf-8")) if name in known}


@lru_cache(maxsize=1024)
def _imported(code: str) -> frozenset[str]:
    """What is imported, by names without `course_utils.`; by content, since files may change."""
    found: set[str] = set()
    for node in _statements(ast.parse(code).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(name.removeprefix("course_utils.") for name in found)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements in these and below them; no expression holds one."""
    for statement in body:
        yield statement
        if isinstance(statement, ast.Match):
            parts: list[Any] = list(statement.cases)
        else:
            parts = [statement, *getattr(statement, "handlers", ())]
        for part in parts:
            for field in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(part, field, []))


def units() -> dict[str, str]:
    """The module of each unit -> the unit's name, as its UNIT says."""
    found = {}
    for path in sorted((SOURCE / HIDDEN).glob("*/__init__.py")):
        name = re.search(r'"(\d\d_\w+)"', path.read_text(encoding="utf-8"))
        if name is None:
            raise ValueError(f"{path} does not say which unit it is")
        found[path.parent.name] = name.group(1)
    return found


def version() -> str:
    """The version of course_utils."""
    text = (SOURCE / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    return found.group(1) if found is not None else ""


@cache
def modules(unit: str) -> tuple[str, ...]:
    """What a submission of this unit may import: what is not hidden, and needs nothing that is."""
    files = {name: path for name, path in sources().items() if name not in STUBBED}
    later = {module for module, name in units().items() if name >= unit}
    shown = {name for name in files if name.split(".")[0] != HIDDEN and name not in later}
    needs = {name: imports(files[name], files) for name in shown}
    while needy := {name for name in shown if needs[name] - shown}:
        shown -= needy
    return tuple(sorted(shown))


def secret_modules(unit: str) -> tuple[str, ...]:
    """The modules that must not be importable."""
    secret = set(sources()) - set(modules(unit)) - set(STUBBED)
    return (
        *(f"course_utils.{name}" for name in sorted(secret)),
        "autograder.grading",
        "autograder.course",
    )


def write(unit: str, folder: Path) -> Path:
    """Write the view of a unit to `folder`/course_utils, compiled, readable by everyone."""
    target = folder / "course_utils"
    target.mkdir(parents=True)
    files = [path for name, path in sources().items() if name in modules(unit)]
    files += [
        path for path in (SOURCE / "data").iterdir() if path.is_file() and path.suffix != ".py"
    ]
    for path in files:
        copy = target / path.relative_to(SOURCE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    (target / "__init__.py").write_text(PACKAGE.format(version=version()), encoding="utf-8")
    (target / "check.py").write_text(CHECK, encoding="utf-8")
    return shown_to_all.write(folder)
