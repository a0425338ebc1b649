"""A course on disk: where its files are, and what course.toml says.

`AnyCourse` (any_course.py) is a course that nbgrader made, without exercises of this package.
"""

import json
import os
import re
import secrets
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from autograder.errors import UserError
from autograder.settings import Limits as Limits
from autograder.settings import Settings as Settings
from autograder.settings import nearest

if TYPE_CHECKING:
    from course_utils.judging.exercise import (
        Unit,  # imports torch, for seconds: only where it is needed
    )

GRADEBOOK = (
    "COURSE_GRADEBOOK"  # environment variable: the gradebook's address, before that of course.toml
)
SEED = "COURSE_SEED"  # environment variable: the seed of all, where two engines are compared
OWN_CONFIG = "autograder.nbgrader_bridge"  # in nbgrader_config.py: it is a course of this package
SOURCE_TREE = (
    Path(__file__).resolve().parents[1]
)  # where lectures, solutions and the bank of variants are


@dataclass(frozen=True)
class Course:
    """The folder with course.toml; nbgrader's folders are below it."""

    root: Path
    foreign: ClassVar[bool] = False  # made by nbgrader alone: its own asserts, no exercises of ours

    @property
    def course_id(self) -> str:
        """The course's name in the gradebook."""
        return "attention"

    @staticmethod
    def find(start: str | Path | None = None) -> "Course":
        """The course in `start`, or the nearest one above the working directory."""
        if start is not None:
            if (found := _course_in(Path(start).resolve())) is None:
                raise UserError(
                    f"{start} is not a course: it has no course.toml, and no nbgrader_config.py"
                )
            return found
        here = Path.cwd().resolve()
        for folder in (here, *here.parents):
            if (found := _course_in(folder)) is not None:
                return found
        raise UserError(
            "there is no course.toml here or above, and no nbgrader_config.py: "
            "go to the course's folder, or give --course DIR"
        )

    @cached_property
    def settings(self) -> Settings:
        return Settings.read(self.root / "course.toml", self.unit_name)

    def unit(self, name: str) -> "Unit":
        from course_utils import exercises

        try:
            return exercises.unit(self.unit_name(name))
        except KeyError as error:
            raise UserError(str(error.args[0])) from None

    @cached_property
    def unit_names(self) -> tuple[str, ...]:
        """All units, by the folders and files that are called after them."""
        places = [
            path
            for root in (self.root, SOURCE_TREE)
            for folder in ("lectures", "solutions", "assignments")
            for path in (root / folder).glob("[0-9][0-9]_*")
        ]
        return tuple(sorted({path.name.split(".")[0] for path in places}))

    def typed(self, unit: str) -> str:
        """A unit as one types it in a command: by its number."""
        return unit[:2]

    def unit_name(self, name: str) -> str:
        """The unit that is called so: by its number, its name or its title."""
        number = name.zfill(2) if name.isdigit() else name
        plain = _plain(name)
        for each in self.unit_names:
            if each == name or each.split("_", 1)[0] == number or _plain(each[3:]) == plain:
                return each
        from course_utils import exercises

        for unit in exercises.units():
            if plain and plain in (_plain(unit.title), _plain(unit.title.split(":")[0])):
                return unit.name
        near = nearest(name, self.unit_names).replace(", did you mean", " Did you mean")
        listed = ", ".join(self.unit_names)
        raise UserError(f"There is no unit {name!r}.{near} The units are: {listed}.")

    @property
    def roster(self) -> Path | None:
        """students.csv, if there is one."""
        path = self.root / "students.csv"
        return path if path.is_file() else None

    @property
    def has_real_students(self) -> bool:
        """Has anybody handed in who was not simulated?"""
        names = {folder.name for folder in self.submitted.glob("*") if folder.is_dir()}
        simulated = all(re.fullmatch(r"student\d{3,}", name) for name in names)
        return self.roster is not None or (self.root / "inbox").is_dir() or not simulated

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def assignments(self) -> Path:
        return self.root / "assignments"

    @property
    def submitted(self) -> Path:
        return self.root / "submitted"

    @property
    def autograded(self) -> Path:
        return self.root / "autograded"

    @property
    def feedback(self) -> Path:
        return self.root / "feedback"

    @property
    def gradebook_url(self) -> str:
        """SQLAlchemy's address of the gradebook: the environment's, course.toml's, or a file."""
        default = f"sqlite:///{self.root / 'gradebook.db'}?timeout=60"
        url = str(os.environ.get(GRADEBOOK) or self.settings.gradebook.get("url") or default)
        scheme, mark, rest = url.partition("://")
        return (
            f"postgresql+psycopg2{mark}{rest}" if scheme in ("postgres", "postgresql") else url
        )  # what is meant depends on SQLAlchemy

    @property
    def patience(self) -> float:
        """Seconds that a run waits for a gradebook that is out of reach."""
        return float(self.settings.gradebook.get("patience_seconds", 300))

    def released(self, unit: str) -> Path:
        """The released notebook of a unit; an error that says what to do if there is none."""
        path = self.assignments / unit / f"{unit}.ipynb"
        if not path.is_file():
            raise UserError(
                f"unit {unit} is not released in this course: run `autograder release {unit[:2]}`"
                " first"
            )
        return path

    def releases(self, unit: str) -> dict[str, Path]:
        """Name -> every released notebook of a unit."""
        return {unit: self.released(unit)}

    def submission(self, student: str, unit: str) -> Path:
        """The folder that a student handed in."""
        return self.submitted / student / unit

    def graded(self, student: str, unit: str) -> Path:
        """The folder with the notebooks as they were graded."""
        return self.autograded / student / unit

    def notebooks(self, unit: str) -> tuple[str, ...]:
        """The notebooks of a unit, by their names without ending."""
        return (unit,)

    @property
    def secret_paths(self) -> tuple[str, ...]:
        """What no student may read: the walls are attacked with it before a run."""
        names = (
            *("course.toml", "gradebook.db", ".secret_seed"),
            *("solutions", "submitted", "autograded", "runs"),
        )
        return tuple(str(self.root / name) for name in names if (self.root / name).exists())

    def students(self, unit: str) -> list[str]:
        """Who has handed something in for a unit."""
        return sorted(
            folder.parent.name for folder in self.submitted.glob(f"*/{unit}") if folder.is_dir()
        )

    def seed(self) -> str:
        """The secret seed of the graded cases: made at first use, readable by the instructor only,
        never committed."""
        path = self.root / ".secret_seed"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text(encoding="ascii").strip()
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(16))
        return path.read_text(encoding="ascii").strip()


def _course_in(folder: Path) -> "Course | None":
    """The course whose files begin in this folder, if any."""
    config = folder / "nbgrader_config.py"
    if config.is_file() and OWN_CONFIG not in config.read_text(encoding="utf-8", errors="replace"):
        from autograder.any_course import AnyCourse

        return AnyCourse(folder)
    return Course(folder) if (folder / "course.toml").is_file() else None


def _plain(title: str) -> str:
    return re.sub(r"[\W_]+", "", title).casefold()


def marks(notebook: Path) -> dict[str, dict[str, Any]]:
    """Name -> nbgrader's mark of every marked cell of a notebook of the course."""
    cells = json.loads(notebook.read_bytes())["cells"]
    found = [cell.get("metadata", {}).get("nbgrader") or {} for cell in cells]
    return {mark["grade_id"]: mark for mark in found if "grade_id" in mark}
