"""A course that was made with nbgrader alone: any folder with an `nbgrader_config.py`.

Its folders, its gradebook and its rules are those that nbgrader's own configuration names;
course.toml is optional, and may hold a title and limits.
"""

import ast
import glob
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from autograder.course import Course
from autograder.errors import UserError
from autograder.settings import Limits, Settings, nearest

# Packages that are imported before a class is graded, if the release imports them. Others are
# imported by each submission: what they do at import (threads, files) is not known.
WARMED = (
    *("numpy", "pandas", "scipy", "sklearn", "matplotlib", "torch", "torchvision", "seaborn"),
    *("sympy", "statsmodels", "networkx", "PIL", "skimage"),
)
RULES = (  # parts of nbgrader's configuration that decide about a notebook, all of plain values
    *("IgnorePattern", "LimitOutput", "OverwriteCells", "ClearMetadataPreprocessor"),
    *("ClearOutput", "DeduplicateIds", "CheckCellMetadata", "NbGraderPreprocessor"),
)
HOOKS = {  # what runs an instructor's own code in the middle of nbgrader
    "Autograde": (
        *("sanitize_preprocessors", "autograde_preprocessors"),
        *("pre_convert_hook", "post_convert_hook"),
    ),
    "BaseConverter": ("pre_convert_hook", "post_convert_hook"),
}
LONGEST = 3600.0  # seconds of a cell, where nbgrader's configuration sets no limit


@dataclass(frozen=True)
class Assignment:
    """An assignment of nbgrader, where the course of this package has a unit."""

    name: str
    exercises: ClassVar[tuple[Any, ...]] = ()

    @property
    def title(self) -> str:
        return self.name


@dataclass(frozen=True)
class AnyCourse(Course):
    """The folder with nbgrader_config.py."""

    foreign: ClassVar[bool] = True

    @cached_property
    def nbgrader(self) -> Any:
        """nbgrader's CourseDirectory, configured as nbgrader itself would be in this folder."""
        return self._app.coursedir

    @cached_property
    def _app(self) -> Any:
        from nbgrader.apps import NbGrader

        app = NbGrader(log_level="CRITICAL", raise_config_file_errors=True)
        try:
            with self.inside():
                app.initialize([], root=str(self.root))
        except (Exception, SystemExit) as error:
            why = f"{type(error).__name__}: {error}"
            raise UserError(f"{self.root / 'nbgrader_config.py'} cannot be used: {why}") from None
        return app

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Work in the course's folder, from which modules can be imported, as nbgrader does."""
        path, here = list(sys.path), Path.cwd()
        try:
            os.chdir(self.root)
            sys.path.insert(0, str(self.root))
            yield
        finally:
            os.chdir(here)
            sys.path[:] = path

    @property
    def config(self) -> Any:
        """nbgrader's whole configuration."""
        return self._app.config

    @property
    def course_id(self) -> str:
        return str(self.nbgrader.course_id)

    @cached_property
    def settings(self) -> Settings:
        file = self.root / "course.toml"
        given = Settings.read(file) if file.is_file() else Settings(title=self._title)
        timeout = self.config.get("Execute", {}).get("timeout", 30)
        return given if given.limits != Limits() else replace(given, limits=within(timeout))

    @property
    def _title(self) -> str:
        return self.course_id or self.root.name

    # Assignments

    def unit(self, name: str) -> Any:
        return Assignment(self.unit_name(name))

    @cached_property
    def unit_names(self) -> tuple[str, ...]:
        """All assignments: those with a source, a release or a submission."""
        found: set[str] = set()
        for step, who in (("source", "."), ("release", "."), ("submitted", "*")):
            for path in self._matches(step, who, "*"):
                found.add(path["assignment_id"])
        return tuple(sorted(found))

    def typed(self, unit: str) -> str:
        return unit

    def unit_name(self, name: str) -> str:
        if name in self.unit_names:
            return name
        near = nearest(name, self.unit_names).replace(", did you mean", " Did you mean")
        listed = ", ".join(self.unit_names) or "none"
        raise UserError(f"There is no assignment {name!r}.{near} The assignments are: {listed}.")

    # Folders

    def folder(self, step: str, student: str, unit: str) -> Path:
        """nbgrader's folder of an assignment: "source", "release", "submitted", "autograded"."""
        named = getattr(self.nbgrader, f"{step}_directory")
        return Path(os.path.normpath(self.nbgrader.format_path(named, student, unit)))

    def _matches(self, step: str, student: str, unit: str) -> list[dict[str, str]]:
        """The folders of a step, each by what its path says of student and assignment."""
        named = getattr(self.nbgrader, f"{step}_directory")
        pattern = re.compile(
            self.nbgrader.format_path(
                re.escape(named), "(?P<student_id>[^/]*)", "(?P<assignment_id>[^/]*)", escape=True
            )
        )
        wanted = self.nbgrader.format_path(named, student, unit)
        found = []
        for path in sorted(glob.glob(wanted)):
            hit = pattern.fullmatch(path)
            if hit is not None and os.path.isdir(path):
                found.append({"assignment_id": unit, "student_id": student} | hit.groupdict())
        return found

    @property
    def solutions(self) -> Path:
        return self.root / str(self.nbgrader.source_directory)

    @property
    def assignments(self) -> Path:
        return self.root / str(self.nbgrader.release_directory)

    @property
    def submitted(self) -> Path:
        return self.root / str(self.nbgrader.submitted_directory)

    @property
    def autograded(self) -> Path:
        return self.root / str(self.nbgrader.autograded_directory)

    @property
    def feedback(self) -> Path:
        return self.root / str(self.nbgrader.feedback_directory)

    def submission(self, student: str, unit: str) -> Path:
        return self.folder("submitted", student, unit)

    def graded(self, student: str, unit: str) -> Path:
        return self.folder("autograded", student, unit)

    def students(self, unit: str) -> list[str]:
        excluded = str(self.nbgrader.student_id_exclude).split(",")
        found = {each["student_id"] for each in self._matches("submitted", "*", glob.escape(unit))}
        return sorted(found - set(excluded))

    def releases(self, unit: str) -> dict[str, Path]:
        found = sorted(self.folder("release", ".", unit).glob("*.ipynb"))
        if not found:
            raise UserError(
                f"{unit} is not released: run `nbgrader generate_assignment {unit}` first"
            )
        return {path.stem: path for path in found}

    def released(self, unit: str) -> Path:
        """The released notebook; of several, the first one."""
        return next(iter(self.releases(unit).values()))

    def notebooks(self, unit: str) -> tuple[str, ...]:
        """The notebooks in the folders of the assignment; the gradebook decides which count."""
        folders = (self.folder(step, ".", unit) for step in ("release", "source"))
        return tuple(sorted({path.stem for folder in folders for path in folder.glob("*.ipynb")}))

    @property
    def secret_paths(self) -> tuple[str, ...]:
        steps = (self.solutions, self.submitted, self.autograded)
        paths = (self.root / "nbgrader_config.py", self.root / "gradebook.db", *steps)
        return tuple(str(path) for path in paths if path.exists())

    # What decides

    @property
    def gradebook_url(self) -> str:
        """The address in nbgrader's configuration; a relative file is below the course's root."""
        url = str(self.nbgrader.db_url)
        relative = re.fullmatch(r"sqlite:///(?!/)(?!:memory:)([^?]+)(\?.*)?", url)
        if relative is None:
            return url
        return f"sqlite:///{self.root / relative[1]}{relative[2] or ''}"

    def seed(self) -> str:
        """There are no secret cases: an assert is an assert."""
        return "asserts"

    def rules(self) -> str:
        """What nbgrader's configuration says about notebooks, as JSON; UserError if it says more
        than this engine does."""
        for section, names in HOOKS.items():
            for name in names:
                if name in self.config.get(section, {}):
                    raise UserError(
                        f"nbgrader_config.py sets {section}.{name}, which runs code of your own "
                        "inside nbgrader: grade with `--engine stock`"
                    )
        return json.dumps({name: dict(self.config[name]) for name in RULES if name in self.config})

    def source_files(self, unit: str) -> tuple[tuple[str, bytes], ...]:
        """What stands beside the source notebooks: nbgrader puts it over what was handed in."""
        from nbgrader.utils import find_all_files

        root = self.folder("source", ".", unit)
        kept = set(self.config.get("Autograde", {}).get("exclude_overwriting", {}).get(unit, []))
        paths = [
            Path(path) for path in find_all_files(str(root), [*self.nbgrader.ignore, "*.ipynb"])
        ]
        named = sorted((path.relative_to(root).as_posix(), path) for path in paths)
        return tuple((name, path.read_bytes()) for name, path in named if name not in kept)


def within(timeout: float | None) -> Limits:
    """The limits that follow from nbgrader's own time for one cell."""
    cell = float(timeout) if timeout is not None and timeout > 0 else LONGEST
    usual = Limits()
    if cell == usual.cell_seconds:
        return usual
    whole = max(usual.submission_seconds, 10 * cell)
    return replace(usual, cell_seconds=cell, submission_seconds=whole, cpu_seconds=0.8 * whole)


def preloads(sources: Iterable[str], beside: Iterable[str] = ()) -> tuple[str, ...]:
    """The packages that these cells import, as far as it is known how they behave: to be imported
    once, before the class is graded. A file of that name beside the notebook comes first."""
    own = {Path(name).parts[0].removesuffix(".py") for name in beside}
    found: set[str] = set()
    for source in sources:
        for name in _imported(source):
            top = name.split(".")[0]
            if top in WARMED and top not in own:
                found |= {top, name}
    return tuple(sorted(found))


def _imported(source: str) -> set[str]:
    lines = ["pass" if re.match(r"\s*[%!]", line) else line for line in source.splitlines()]
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found
