"""Whose file is it? The naming schemes of the platforms, and the roster of the class.

Only names that a platform gave are believed: those of the outermost level, and there the first
part that follows its scheme. What stands further inside was named by a student.
"""

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from autograder.collecting.archive import Entry, clean
from autograder.errors import UserError

CANVAS = re.compile(
    r"(?P<name>[^/]+?)_(?:(?P<late>LATE)_)?(?P<id>\d+)_(?P<number>\d+)_(?P<file>.+)", re.S
)
CANVAS_TEXT = re.compile(  # a text or a link that was typed into Canvas has no upload number
    r"(?P<name>[^/]+?)_(?:(?P<late>LATE)_)?(?P<id>\d+)_(?P<file>(?:text|link|media)\.html?)", re.S
)
MOODLE = re.compile(
    r"(?P<name>[^/]+?)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)(?:_(?P<file>.*))?", re.S
)
TEXT_ENTRY = "text entry"  # how a text that was typed into the platform is called
STUDENT_BYTES = 100  # of a student's id, which becomes a folder


@dataclass(frozen=True)
class Delivered:
    """A file with what its platform says about it."""

    who: tuple[str, ...]  # how the platform calls the student, the surest name first
    entry: Entry  # seen from the student's folder
    late: bool = False  # as marked by the platform
    number: int = 0  # of the upload: a later one is greater


def layout_of(entries: Iterable[Entry], people: "Roster") -> str:
    """Which platform names files like this: most files decide, by the names that it gave."""
    names = [entry.parts for entry in entries]
    depth = _depth(names, people)
    given = [parts[depth] for parts in names if len(parts) > depth]
    moodle = sum(MOODLE.fullmatch(part) is not None for part in given)
    canvas = sum(
        _canvas_match(part) is not None and part.lower().endswith((".ipynb", ".zip", ".html"))
        for part in given
    )
    if 2 * moodle > len(given):
        return "moodle"
    if 2 * canvas > len(given):
        return "canvas"
    folders = {parts[0] for parts in names if len(parts) > 1}
    cloned = {parts[0] for parts in names if "assignments" in parts[1:-1]}
    if cloned and 2 * len(cloned) >= len(folders):
        return "repos"
    return "folder"


def _depth(names: list[tuple[str, ...]], people: "Roster") -> int:
    """How many folders are around everything; a folder that is a student's does not count."""
    depth = 0
    while names and all(len(parts) > depth + 1 for parts in names):
        top = {parts[depth] for parts in names}
        if len(top) > 1 or MOODLE.fullmatch(part := top.pop()) or people.find([part]) is not None:
            break
        depth += 1
    return depth


def delivered(
    entries: list[Entry], layout: str, unit: str, people: "Roster"
) -> list[Delivered | None]:
    """Every file with the student to whom the platform says it belongs, or None."""
    depth = _depth([entry.parts for entry in entries], people)
    if layout == "canvas":
        return [_canvas(entry, depth) for entry in entries]
    if layout == "moodle":
        return [_moodle(entry, depth) for entry in entries]
    read = {"repos": _repository, "folder": _folder}[layout]
    return [read(entry, unit) for entry in entries]


def _canvas_match(part: str) -> re.Match[str] | None:
    return CANVAS.fullmatch(part) or CANVAS_TEXT.fullmatch(part)


def _canvas(entry: Entry, depth: int) -> Delivered | None:
    match = _canvas_match(entry.parts[depth]) if len(entry.parts) > depth else None
    if match is None:
        return None
    inner = entry.called(entry.parts[depth + 1 :] or (match["file"],))
    number = int(match["number"][:18]) if match.re is CANVAS else 0
    return Delivered((match["id"], match["name"]), inner, bool(match["late"]), number)


def _moodle(entry: Entry, depth: int) -> Delivered | None:
    match = MOODLE.fullmatch(entry.parts[depth]) if len(entry.parts) > depth else None
    if match is None:
        return None
    rest = entry.parts[depth + 1 :] or ((match["file"] or "").lstrip("_"),)
    return Delivered((match["id"], match["name"]), entry.called(rest)) if rest[0] else None


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
    return Delivered((name,), entry.called(rest))


def _folder(entry: Entry, unit: str) -> Delivered | None:
    """STUDENT/[UNIT/]file, or one file per student: in the mapping, or called after the student."""
    if len(entry.parts) == 1:
        stem = entry.name.rsplit(".", 1)[0]
        before = re.sub(rf"[ _-]*{re.escape(unit)}.*$", "", stem, flags=re.S)
        return Delivered(("" if fold(before) == "copyof" else before, entry.name, stem), entry)
    rest = entry.parts[2:] if len(entry.parts) > 2 and entry.parts[1] == unit else entry.parts[1:]
    return Delivered((entry.parts[0],), entry.called(rest))


# Who is who --------------------------------------------------------------------------------------


def fold(name: str) -> str:
    """For comparing names: no case, no accents, no commas, spaces or other signs between."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in plain if c.isalnum())


@dataclass
class Roster:
    """students.csv: a column `student`, and any others by which a student may be called."""

    students: dict[str, dict[str, str]] = field(default_factory=dict)
    also: dict[str, str] = field(default_factory=dict)  # another name, folded -> student
    doubtful: set[str] = field(default_factory=set)  # names that several students bear
    numbers: dict[str, dict[str, str]] = field(default_factory=dict)  # by platform

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

    def bearer(self, each: Delivered, layout: str) -> str | None:
        """Whose file it is: by the number that the platform gave, if the roster has a column for
        it; a name, or a number of another kind, does not count against that."""
        if (owner := self.by_number(layout).get(each.who[0])) is not None:
            return owner
        student = self.find(each.who)
        return None if self.students.get(student or "", {}).get(layout, "").isdigit() else student

    def by_number(self, layout: str) -> dict[str, str]:
        """Number on a platform -> student."""
        if layout not in self.numbers:
            rows = [(row.get(layout, ""), student) for student, row in self.students.items()]
            self.numbers[layout] = {number: student for number, student in rows if number}
        return self.numbers[layout]

    def name(self, student: str) -> str:
        """A student's full name, as far as it is known."""
        return self.students.get(student, {}).get("name", "")


def read_roster(path: Path | None, mapping: Path | None) -> Roster:
    """Who is in the class, and by which other names: a roster, a mapping (id, student), or both."""
    roster = Roster()
    for row in table(path, "student") if path else []:
        student = safe(row["student"])
        if student in roster.students:
            raise UserError(f"{path}: {student} is there twice")
        roster.students[student] = row
        for value in row.values():
            roster.add(value, student)
        words = row.get("name", "").replace(",", " ").split()
        family_first = " ".join([*words[-1:], *words[:-1]])  # as Canvas writes it
        roster.add(family_first, student)
    for row in table(mapping, "id", "student") if mapping else []:
        roster.also[fold(row["id"])] = safe(row["student"])
        roster.doubtful.discard(fold(row["id"]))
    return roster


def read_csv(path: Path) -> tuple[list[list[str]], str, str]:
    """The rows of a table as programs write it, its delimiter and its byte order mark."""
    try:
        raw = path.read_bytes()
    except OSError:
        raise UserError(f"there is no file {path}") from None
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):  # Excel's "Unicode text"
        text = raw.decode("utf-16", "replace")
    else:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise UserError(f"{path} is not UTF-8 text") from None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)), delimiter, mark
    except csv.Error as error:
        raise UserError(f"{path} is not a table: {error}") from None


def table(path: Path, *needed: str) -> list[dict[str, str]]:
    """A CSV file with at least these columns, as one dictionary per row."""
    rows, delimiter, _ = read_csv(path)
    head = [name.strip() for name in rows[0]] if rows else []
    for column in needed:
        if column not in head:
            begin = delimiter.join(head)
            raise UserError(f"{path} has no column {column!r}; it begins with {begin!r}")
    found = [
        {name: value.strip() for name, value in zip(head, row, strict=False)} for row in rows[1:]
    ]
    return [row for row in found if all(row.get(column) for column in needed)]


def safe(student: str) -> str:
    """A student's id as nbgrader and the file system can bear it."""
    name = re.sub(r"[/\\:*?\"<>|]+", "_", clean(student)).strip(" .")
    if len(name.encode()) <= STUDENT_BYTES:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name.encode()[: STUDENT_BYTES - 9].decode('utf-8', 'ignore')}~{digest}"
