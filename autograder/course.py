"""A course on disk: where its files are, and what course.toml says."""

import dataclasses
import os
import secrets
import tomllib
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.errors import UserError

if TYPE_CHECKING:
    from course_utils.exercise import Unit  # imports torch, for seconds: only where it is needed

GRADEBOOK = "COURSE_GRADEBOOK"  # environment variable: the gradebook's address, before that of course.toml
SOURCE_TREE = Path(__file__).resolve().parents[1]  # where lectures, solutions and the bank of variants are


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    cell_seconds: float = 30.0
    submission_seconds: float = 300.0
    cpu_seconds: float = 240.0
    memory_mb: int = 2048
    processes: int = 64
    disk_mb: int = 64
    output_kb: int = 2048


@dataclass(frozen=True)
class Settings:
    """course.toml."""

    title: str = "Attention and Transformers"
    student_repository: dict[str, str] = field(default_factory=dict)
    gradebook: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    due: dict[str, datetime] = field(default_factory=dict)
    late: dict[str, float] = field(default_factory=dict)
    extensions: dict[str, dict[str, datetime]] = field(default_factory=dict)  # unit -> student -> a due date of one's own
    limits: Limits = field(default_factory=Limits)

    @classmethod
    def read(cls, path: Path) -> "Settings":
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise UserError(f"{path} is not valid TOML: {error}") from None
        known = {f.name for f in dataclasses.fields(cls)}
        if unknown := set(data) - known:
            raise UserError(f"{path}: unknown entry {sorted(unknown)[0]!r}; known are {', '.join(sorted(known))}")
        data["limits"] = cls._limits(path, data.get("limits", {}))
        if unknown := set(data.get("gradebook", {})) - {"url", "patience_seconds"}:
            raise UserError(f"{path}: unknown entry {sorted(unknown)[0]!r} in [gradebook]; known are patience_seconds, url")
        return cls(**data)

    @staticmethod
    def _limits(path: Path, table: dict[str, Any]) -> Limits:
        known = {f.name for f in dataclasses.fields(Limits)}
        for key, value in table.items():
            if key not in known:
                raise UserError(f"{path}: unknown limit {key!r}; known are {', '.join(sorted(known))}")
            if not isinstance(value, int | float) or isinstance(value, bool) or value <= 0:
                raise UserError(f"{path}: the limit {key!r} must be a positive number, not {value!r}")
        return Limits(**table)


@dataclass(frozen=True)
class Course:
    """The folder with course.toml; nbgrader's folders are below it."""

    root: Path

    @classmethod
    def find(cls, start: str | Path | None = None) -> "Course":
        """The course in `start`, or the nearest one above the working directory."""
        if start is not None:
            root = Path(start).resolve()
            if not (root / "course.toml").is_file():
                raise UserError(f"{start} is not a course: it has no course.toml")
            return cls(root)
        here = Path.cwd().resolve()
        for folder in (here, *here.parents):
            if (folder / "course.toml").is_file():
                return cls(folder)
        raise UserError("there is no course.toml here or above: go to the course's folder, or give --course DIR")

    @cached_property
    def settings(self) -> Settings:
        return Settings.read(self.root / "course.toml")

    def unit(self, name: str) -> "Unit":
        from course_utils import exercises

        try:
            return exercises.unit(name)
        except KeyError as error:
            raise UserError(str(error.args[0])) from None

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
        """SQLAlchemy's address of the gradebook: the environment, course.toml, or SQLite beside it."""
        default = f"sqlite:///{self.root / 'gradebook.db'}?timeout=60"
        url = str(os.environ.get(GRADEBOOK) or self.settings.gradebook.get("url") or default)
        scheme, mark, rest = url.partition("://")
        return f"postgresql+psycopg2{mark}{rest}" if scheme in ("postgres", "postgresql") else url  # what is meant depends on SQLAlchemy

    @property
    def patience(self) -> float:
        """Seconds that a run waits for a gradebook that is out of reach."""
        given = self.settings.gradebook.get("patience_seconds", 300)
        if not isinstance(given, int | float) or isinstance(given, bool) or given < 0:
            raise UserError(f"course.toml: patience_seconds in [gradebook] must be a number of seconds, not {given!r}")
        return float(given)

    def released(self, unit: str) -> Path:
        """The released notebook of a unit; an error that says what to do if there is none."""
        path = self.assignments / unit / f"{unit}.ipynb"
        if not path.is_file():
            raise UserError(f"unit {unit} is not released in this course: run `autograder release {unit[:2]}` first")
        return path

    def students(self, unit: str) -> list[str]:
        """Who has handed something in for a unit."""
        return sorted(folder.parent.name for folder in self.submitted.glob(f"*/{unit}") if folder.is_dir())

    def seed(self) -> str:
        """The secret seed of the graded cases: made at first use, readable by the instructor only, never committed."""
        path = self.root / ".secret_seed"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text(encoding="ascii").strip()
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(16))
        return path.read_text(encoding="ascii").strip()
