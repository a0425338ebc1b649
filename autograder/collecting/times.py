"""When submissions were handed in, out of the tables that platforms give: their columns are found
by what stands in them, and dates are read in the languages of the platforms.

A date is believed only if it can mean one thing: a weekday must agree with it, and 1/3/2027 needs
another row that shows which of the two is the day.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from autograder import outside
from autograder.collecting.platforms import read_csv
from autograder.errors import UserError

LANGUAGES = [
    "en",
    "de",
    "fr",
    "es",
    "it",
    "pt",
    "nl",
    "sv",
    "da",
    "nb",
    "nn",
    "fi",
    "is",
    "pl",
    "cs",
    "sk",
    "sl",
    "hr",
    "sr",
    "hu",
    "ro",
    "bg",
    "el",
    "tr",
    "ru",
    "uk",
    "lt",
    "lv",
    "et",
    "ca",
    "gl",
    "eu",
    "ar",
    "he",
    "id",
    "ms",
]
CLOCK = re.compile(
    r"(?<!\d)(\d{1,2})[:.h](\d{2})(?:[:.](\d{2}))?(?!\d)\s*([ap]\.?\s?m\.?(?!\w))?", re.IGNORECASE
)
NUMBERS = re.compile(r"(?<!\d)(\d{1,4})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?(\d{2,4})(?!\d)")
CJK = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]")
PARTICIPANT = re.compile(r"[^\d@]*?(\d+)")  # "Participant 4711", "Teilnehmer/in4711"
SUBMITTED = re.compile(
    r"submi|hand|abgab|abgeg|remis|rendu|entreg|env[ií]|consegn|inlever|ingelever|inl[aä]m|aflever"
    r"|innlever|palaut|odda|odevzd|lead|teslim|сда|提交|提出|제출|time",
    re.IGNORECASE,
)
HANDED_IN = re.compile(
    r"has submitted the submission|has uploaded a file to the submission"
    r"|(?:created|updated) (?:a|an|the) (?:file|online text) submission"
)
CANVAS_NAMES = ("sis_user_id", "login_id", "name", "sortable_name", "email")
MAX_BYTES = 64 << 20
EMPTY = ("", "-", "–", "—")
ID_COLUMNS = 4  # of a platform's table: who it is comes first


@dataclass(frozen=True)
class Moments:
    """A table of times: whatever a row calls its student -> when."""

    rows: tuple[tuple[tuple[str, ...], datetime], ...]
    told: bool  # the plain table of an instructor, not a platform's
    zone: str  # in which times without a zone were read

    def of(self, names: Iterable[str], alike: Callable[[str], str]) -> datetime | None:
        """The time of the student with one of these names; of several rows, the last time."""
        wanted = {alike(name) for name in names if alike(name)}
        found = [time for row, time in self.rows if wanted & {alike(name) for name in row}]
        return max(found, default=None)


def read(path: Path, zone: tzinfo) -> Moments:
    """The table in a file: `student,time`, Moodle's grading worksheet or log, the submissions as
    Canvas' programming interface gives them, or any other table with one column of times."""
    if (found := _canvas(path, zone)) is not None:
        return found
    rows, _, _ = read_csv(path)
    head = [name.strip() for name in rows[0]] if rows else []
    body = [row + [""] * (len(head) - len(row)) for row in rows[1:] if any(map(str.strip, row))]
    if not body:
        raise UserError(f"{path} holds no times: it needs the columns student and time")
    plain = "student" in head and "time" in head
    column = head.index("time") if plain else _column(path, head, body, zone)
    read_one = reader([row[column] for row in body], zone, path)
    shape, moments = worksheet_shape(head, body), []
    for row in _submissions(path, body):
        if row[column].strip() not in EMPTY:
            names = [row[head.index("student")]] if plain else _names(row, column, shape)
            moments.append((tuple(names), read_one(row[column])))
    return Moments(tuple(moments), plain, str(zone))


def _canvas(path: Path, zone: tzinfo) -> Moments | None:
    """What Canvas answers to /api/v1/courses/…/assignments/…/submissions: it has no table of
    times of its own. None if the file is something else."""
    try:
        text = outside.read_bounded(path, MAX_BYTES).decode("utf-8-sig").lstrip()
        rows = json.loads(text) if text.startswith("[") else None
    except (OSError, ValueError):
        return None
    if not isinstance(rows, list):
        return None
    found, about = [], set()
    for row in (row for row in rows if isinstance(row, dict) and row.get("submitted_at")):
        user = row.get("user")
        user = user if isinstance(user, dict) else {}
        names = [row.get("user_id"), *(user.get(key) for key in ("id", *CANVAS_NAMES))]
        told = tuple(str(name) for name in names if name)
        found.append((told, moment(str(row["submitted_at"]), zone, path)))
        about.add(str(row.get("assignment_id")))
    if not found:
        raise UserError(f"{path} holds no submissions of Canvas with user_id and submitted_at")
    if len(about) > 1:
        raise UserError(f"{path} is about {len(about)} assignments of Canvas: give those of one")
    return Moments(tuple(found), False, str(zone))


def _names(row: list[str], column: int, shape: "Shape | None") -> list[str]:
    """What in a row may be a student's name. A grade of 47.11 is not participant 4711: where
    the columns are not known, numbers count in the first four only, where platforms put ids."""
    places = [*shape.names] if shape is not None else [*range(len(row))]
    names = [row[i].strip() for i in places if i != column]
    kept = [
        name
        for i, name in zip([i for i in places if i != column], names, strict=True)
        if re.search(r"[^\W\d_]", name) or (i < ID_COLUMNS and name.isdigit())
    ]
    first = PARTICIPANT.fullmatch(row[shape.identifier].strip()) if shape is not None else None
    return kept + ([first[1]] if first else [])


def _submissions(path: Path, body: list[list[str]]) -> list[list[str]]:
    """Of a log (Moodle writes its descriptions in English everywhere), who handed something in."""
    log = [row for row in body if any("The user with id '" in cell for cell in row)]
    kept = [row for row in log if HANDED_IN.search(" ".join(row))]
    about = {m[1] for row in kept if (m := re.search(r"module id '(\d+)'", " ".join(row)))}
    if len(about) > 1:
        some = sorted({cell for row in kept for cell in row if re.match(r"\w+: ", cell)})[:4]
        raise UserError(
            f"{path} is the log of {len(about)} assignments ({', '.join(some)} …): choose one"
            " activity in Moodle's log before downloading it"
        )
    return kept if log else body


def _column(path: Path, head: list[str], body: list[list[str]], zone: tzinfo) -> int:
    """Which column holds the times of hand-in."""
    candidates = [i for i in range(len(head)) if _all_times([row[i] for row in body], zone)]
    if not candidates:
        said = "no column holds times that can be read"
        raise UserError(f"{path}: {said}; columns are {', '.join(head)}. Or give student,time")
    if (shape := worksheet_shape(head, body)) is not None:
        if shape.submitted not in candidates:
            said = "this grading worksheet has no times of submissions"
            raise UserError(f"{path}: {said}, only of grades. Give a table student,time")
        return shape.submitted
    named = [i for i in candidates if SUBMITTED.search(head[i])]
    if len(named or candidates) > 1:
        listed = ", ".join(head[i] for i in named or candidates)
        raise UserError(f"{path}: which column is the time of hand-in? There are {listed}")
    return (named or candidates)[0]


def _all_times(cells: list[str], zone: tzinfo) -> bool:
    given = [cell for cell in cells if cell.strip() not in EMPTY]
    try:
        read_one = reader(given, zone, None)
        return bool(given) and all(read_one(cell) for cell in given)
    except UserError:
        return False


# Moodle's worksheet in any language --------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """Where the columns of Moodle's grading worksheet are; None for one that is not there."""

    identifier: int
    grade: int
    most: int | None
    changeable: int | None
    submitted: int | None
    comment: int | None
    names: tuple[int, ...]


ENGLISH = {
    "grade": "grade",
    "most": "maximum grade",
    "changeable": "grade can be changed",
    "submitted": "last modified (submission)",
    "comment": "feedback comments",
}


def worksheet_shape(head: list[str], body: list[list[str]]) -> Shape | None:
    """Moodle's grading worksheet, known by its English headers or by the order of its columns."""
    known = [name.strip().lower() for name in head]  # newer Moodles write "Maximum grade"
    if "identifier" in known and "grade" in known:
        at = {key: known.index(name) for key, name in ENGLISH.items() if name in known}
        names = [known.index(n) for n in ("id number", "email address", "full name") if n in known]
        return Shape(
            known.index("identifier"), at["grade"], at.get("most"), at.get("changeable"),
            at.get("submitted"), at.get("comment"), tuple(names),
        )  # fmt: skip
    if not body or not all(PARTICIPANT.fullmatch(row[0].strip()) for row in body):
        return None
    for most in range(3, len(head) - 2):
        for state in (0, 1):  # with marking workflow, its state comes after the maximum
            if (found := _worksheet_at(most, most + 1 + state, body)) is not None:
                return found
    return None


def _worksheet_at(most: int, changeable: int, body: list[list[str]]) -> Shape | None:
    """The worksheet, if this is the column of the maximum: one number in all rows, grades before
    it, then two words at most (yes and no), then the times of submissions, if they are there,
    texts of students, the times of grades, and comments."""
    limits = {number(row[most]) for row in body}
    grades = [row[most - 1].strip() for row in body]
    yes_no = {row[changeable].strip() for row in body if changeable < len(row)}
    timed = [i for i in range(changeable + 1, len(body[0])) if _timed(row[i] for row in body)]
    fits = (
        len(limits) == 1
        and None not in limits
        and all(grade in EMPTY or number(grade) is not None for grade in grades)
        and len(yes_no) <= 2
        and not any(number(word) is not None for word in yes_no)
        and timed[:1] == [changeable + 1]
    )
    if not fits:
        return None
    submitted, graded = (timed[0] if len(timed) > 1 else None), timed[:2][-1]
    comment = graded + 1 if graded + 1 < len(body[0]) else None
    people = tuple(range(1, most - 2))
    return Shape(0, most - 1, most, changeable, submitted, comment, people)


def _timed(column: Iterable[str]) -> bool:
    """Does a column hold times, or the dash that Moodle writes for none? A comment is empty."""
    cells = [cell.strip() for cell in column]
    return all(cell in EMPTY[1:] or (CLOCK.search(cell) and len(cell) < 80) for cell in cells)


def number(text: str) -> float | None:
    """A number with a point or a comma."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None


# Dates -------------------------------------------------------------------------------------------


def moment(text: str, zone: tzinfo, where: Path | str | None = None) -> datetime:
    """One time as people and platforms write it; without a zone it is in `zone`."""
    return reader([text], zone, where)(text)


def reader(
    column: Iterable[str], zone: tzinfo, where: Path | str | None
) -> Callable[[str], datetime]:
    """How the times of a column are read: 3/4/2027 depends on what the other rows say."""
    day_first = _day_first(column)

    def read_one(text: str) -> datetime:
        found = _iso(text.strip()) or _date(text, day_first)
        if found is None:
            raise UserError(f"{where}: {text!r} is not a time, such as 2027-03-01 12:00 UTC")
        return found if found.tzinfo is not None else found.replace(tzinfo=zone)

    return read_one


def _iso(text: str) -> datetime | None:
    plain = re.sub(r"\s*(?:UTC|GMT)$", "+00:00", text)
    plain = re.sub(r"\s+([+-]\d\d:?\d\d)$", r"\1", plain)
    try:
        return datetime.fromisoformat(plain)
    except ValueError:
        return None


def _day_first(column: Iterable[str]) -> bool | None:
    """Whether the day comes before the month in dates of numbers; None if no row shows it."""
    found = set()
    for text in column:
        if (match := NUMBERS.search(text)) and len(match[1]) <= 2:
            first, second = int(match[1]), int(match[2])
            if "." in match[0] or first > 12:
                found.add(True)
            elif second > 12:
                found.add(False)
    return found.pop() if len(found) == 1 else None


def _date(text: str, day_first: bool | None) -> datetime | None:
    if not (clock := CLOCK.search(text)) or len(text) > 200:
        return None
    rest = text[: clock.start()] + " " + text[clock.end() :]
    half = (clock[4] or _half_day(rest)).lower().replace(" ", "")
    hour, minute = int(clock[1]), int(clock[2])
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half.startswith("p") else 0)
    day = _numbers(rest, day_first) or _words(rest)
    if day is None:
        return None
    try:
        found = datetime(*day, hour, minute, int(clock[3] or 0))
    except ValueError:
        return None
    return found.replace(tzinfo=UTC) if re.search(r"\b(?:UTC|GMT)\b", rest) else found


def _half_day(text: str) -> str:
    if re.search(r"下午|오후|午後", text):
        return "pm"
    return "am" if re.search(r"上午|오전|午前", text) else ""


def _numbers(text: str, day_first: bool | None) -> tuple[int, int, int] | None:
    if match := CJK.search(text):
        return int(match[1]), int(match[2]), int(match[3])
    if not (match := NUMBERS.search(text)):
        return None
    first, second, third = (int(group) for group in match.groups())
    if len(match[1]) == 4:
        return first, second, third
    year = third + 2000 if third < 100 else third
    if first == second:
        return year, first, second
    if day_first is None:
        return None
    return (year, second, first) if day_first else (year, first, second)


def _words(text: str) -> tuple[int, int, int] | None:
    """A date with the month in words; a weekday, if there is one, must agree."""
    digits = [int(each) for each in re.findall(r"\d+", text)]
    years = [each for each in digits if 1990 <= each <= 2100]
    days = [each for each in digits if 1 <= each <= 31]
    if len(years) != 1 or len(days) != 1:
        return None
    words = {word.casefold().rstrip(".") for word in re.findall(r"[^\W\d_]+\.?", text)}
    possible = set()
    for months, weekdays in names():
        for month in {months[word] for word in words if word in months}:
            said = {weekdays[word] for word in words if word in weekdays}
            try:
                weekday = datetime(years[0], month, days[0]).weekday()
            except ValueError:
                continue
            if not said or weekday in said:
                possible.add((bool(said), month))
    best = {month for said, month in possible if said} or {month for _, month in possible}
    return (years[0], best.pop(), days[0]) if len(best) == 1 else None


@cache
def names() -> tuple[tuple[dict[str, int], dict[str, int]], ...]:
    """For each language, the names of months and weekdays, long and short."""
    from babel import Locale

    found = []
    for language in LANGUAGES:
        locale = Locale.parse(language)
        found.append((_words_of(locale.months), _words_of(locale.days)))
    return tuple(found)


def _words_of(table: Any) -> dict[str, int]:
    """Word -> number of the month or day that alone has it in its name."""
    found: dict[str, set[int]] = {}
    for form in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number_, name in table[form][width].items():
                for word in re.findall(r"[^\W\d_]+", name):
                    found.setdefault(word.casefold(), set()).add(int(number_))
    return {word: numbers.pop() for word, numbers in found.items() if len(numbers) == 1}
