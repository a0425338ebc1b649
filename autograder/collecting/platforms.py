"""Whose file is it? The naming schemes of the platforms, and the roster that turns their ids into students."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.collecting.archive import Entry, clean
from autograder.errors import UserError

CANVAS = re.compile(r"(?P<name>[^/]+?)_(?:(?P<late>LATE)_)?(?P<id>\d+)_(?P<number>\d+)_(?P<file>.+)", re.S)
MOODLE = re.compile(r"(?P<name>[^/]+?)_(?P<id>\d+)_assignsubmission_file(?:_(?P<file>.*))?", re.S)
LAYOUTS = ("canvas", "moodle", "repos", "folder")


@dataclass(frozen=True)
class Delivered:
    """A file with what its platform says about it."""

    who: tuple[str, ...]  # how the platform calls the student, the surest name first
    entry: Entry  # seen from the student's folder
    late: bool = False  # as marked by the platform
    number: int = 0  # of the upload: a later one is greater


def layout_of(entries: Iterable[Entry]) -> str:
    """Which platform names files like this."""
    names = [entry.parts for entry in entries]
    if any(MOODLE.fullmatch(part) for parts in names for part in parts):
        return "moodle"
    if any(CANVAS.fullmatch(part) and part.endswith((".ipynb", ".zip")) for parts in names for part in parts):
        return "canvas"
    if any("assignments" in parts[1:-1] for parts in names):
        return "repos"
    return "folder"


def delivered(entries: Iterable[Entry], layout: str, unit: str) -> list[Delivered]:
    """Every file with the name of the student to whom the platform says it belongs."""
    read = {"canvas": _canvas, "moodle": _moodle, "repos": _repository, "folder": _folder}[layout]
    return [found for entry in entries if (found := read(entry, unit)) is not None]


def _canvas(entry: Entry, unit: str) -> Delivered | None:
    for depth, part in enumerate(entry.parts):
        if match := CANVAS.fullmatch(part):
            rest = entry.parts[depth + 1 :] or (match["file"],)
            inner = Entry(rest, entry.size, entry.time, entry.read, entry.refused)
            return Delivered((match["id"], match["name"]), inner, bool(match["late"]), int(match["number"]))
    return None


def _moodle(entry: Entry, unit: str) -> Delivered | None:
    for depth, part in enumerate(entry.parts):
        if match := MOODLE.fullmatch(part):
            rest = entry.parts[depth + 1 :] or ((match["file"] or "").lstrip("_"),)
            inner = Entry(rest, entry.size, entry.time, entry.read, entry.refused)
            return Delivered((match["id"], match["name"]), inner) if rest[0] else None
    return None


def _repository(entry: Entry, unit: str) -> Delivered | None:
    """REPOSITORY/assignments/UNIT/…: of the rest of a repository nothing is handed in."""
    if len(entry.parts) < 2:
        return None
    name, rest = entry.parts[0], entry.parts[1:]
    if rest[:2] == ("assignments", unit):
        rest = rest[2:]
    elif len(rest) != 1 and (len(rest) != 2 or rest[0] != unit):
        return None
    if not rest or (len(rest) == 1 and len(entry.parts) == 2 and not rest[0].endswith(".ipynb")):
        return None
    return Delivered((name,), Entry(rest, entry.size, entry.time, entry.read, entry.refused))


def _folder(entry: Entry, unit: str) -> Delivered | None:
    """STUDENT/[UNIT/]file, or one file per student whose name is in the mapping or begins with the student's id."""
    if len(entry.parts) == 1:
        stem = entry.name.rsplit(".", 1)[0]
        before = re.sub(rf"[ _-]*{re.escape(unit)}.*$", "", stem)
        return Delivered(("" if fold(before) == "copyof" else before, entry.name, stem), entry)
    rest = entry.parts[2:] if len(entry.parts) > 2 and entry.parts[1] == unit else entry.parts[1:]
    return Delivered((entry.parts[0].removesuffix(".zip"),), Entry(rest, entry.size, entry.time, entry.read, entry.refused))


# Who is who ------------------------------------------------------------------------------------------------------------


def fold(name: str) -> str:
    """For comparing names: no case, no accents, no commas, spaces or other signs between."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in plain if c.isalnum())


@dataclass
class Roster:
    """students.csv: a column `student`, and any others (name, email, ids on platforms) by which a student may be called."""

    students: dict[str, dict[str, str]] = field(default_factory=dict)
    also: dict[str, str] = field(default_factory=dict)  # another name, folded -> student
    doubtful: set[str] = field(default_factory=set)  # names that several students bear

    @property
    def known(self) -> bool:
        return bool(self.students)

    def add(self, name: str, student: str) -> None:
        key = fold(name)
        if key and self.also.setdefault(key, student) != student:
            self.doubtful.add(key)

    def find(self, names: Iterable[str]) -> str | None:
        """The student of this name; None if the roster knows none, or several."""
        for name in names:
            if fold(name) in self.also and fold(name) not in self.doubtful:
                return self.also[fold(name)]
        return None


def read_roster(path: Path | None, mapping: Path | None) -> Roster:
    """Who is in the class, and by which other names: a roster (one row per student), a mapping (`id`, `student`), or both."""
    roster = Roster()
    for row in table(path, "student") if path else []:
        student = safe(row["student"])
        if student in roster.students:
            raise UserError(f"{path}: {student} is there twice")
        roster.students[student] = row
        for value in row.values():
            roster.add(value, student)
        words = row.get("name", "").replace(",", " ").split()
        roster.add(" ".join([*words[-1:], *words[:-1]]), student)  # Canvas puts the family name first
    for row in table(mapping, "id", "student") if mapping else []:
        roster.also[fold(row["id"])] = safe(row["student"])
        roster.doubtful.discard(fold(row["id"]))
    return roster


def table(path: Path, *needed: str) -> list[dict[str, str]]:
    """A CSV file with at least these columns; commas or semicolons, with or without a byte order mark."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError:
        raise UserError(f"there is no file {path}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text") from None
    first = text.partition("\n")[0]
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=";" if first.count(";") > first.count(",") else ","))
    rows = [{(k or "").strip(): (v or "").strip() for k, v in row.items() if isinstance(v, str | None)} for row in rows]
    for column in needed:
        if not rows or column not in rows[0]:
            raise UserError(f"{path} has no column {column!r}; it begins with {first.strip()!r}")
    return [row for row in rows if all(row[column] for column in needed)]


def safe(student: str) -> str:
    """A student's id as nbgrader and the file system can bear it."""
    name = re.sub(r"[/\\:*?\"<>|]+", "_", clean(student)).strip(" .")
    return name[:100]
