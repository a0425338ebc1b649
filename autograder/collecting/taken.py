"""What became of a submission when it was collected, and when it was handed in: kept in inbox/."""

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder import outside
from autograder.collecting.repair import uncertain
from autograder.collecting.times import moment
from autograder.course import Course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.points.policy import SOURCES, HandIn

STAMP = "%Y-%m-%d %H:%M:%S UTC"  # what nbgrader reads in timestamp.txt


@dataclass
class Taken:
    """What became of one student's submission."""

    student: str
    status: str = "missing"  # "taken", "replaced" (an older one), "unchanged", "older" (than what
    # is there), "refused", "missing"
    time: str = ""  # of hand-in, if it is known
    source: str = "none"  # of the time, a key of policy.SOURCES
    zone: str = "UTC"  # in which a time without a zone was read
    late: bool = False  # by what is known now
    file: str = ""
    layout: str = ""  # of the platform
    known_as: list[str] = field(default_factory=list)  # there, the surest name first
    upload: int = 0  # number that the platform gave the file
    repairs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # for the instructor
    said: list[str] = field(default_factory=list)  # for the student too

    @property
    def check(self) -> list[str]:
        """What a person should look at."""
        return uncertain([*self.repairs, *self.notes])

    @property
    def came(self) -> HandIn:
        return HandIn(stamped(self.time), self.source, self.zone)

    @came.setter
    def came(self, known: HandIn) -> None:
        self.time = known.time.astimezone(UTC).strftime(STAMP) if known.time is not None else ""
        self.source, self.zone = known.source, known.zone

    @property
    def words(self) -> list[str]:
        """All there is to say, each once."""
        return list(dict.fromkeys([*self.repairs, *self.said, *self.notes]))


@dataclass
class Collected:
    """A whole collection."""

    unit: str
    layout: str
    students: list[Taken]
    strays: list[str]  # files that belong to nobody
    notes: list[str] = field(default_factory=list)  # about all of it

    def count(self, *status: str) -> int:
        return sum(each.status in status for each in self.students)

    @property
    def good(self) -> bool:
        return (
            not self.strays
            and not self.count("refused")
            and not any(each.check for each in self.students)
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "unit": self.unit,
            "layout": self.layout,
            "students": [asdict(student) for student in self.students],
            "strays": self.strays,
            "notes": self.notes,
        }


def stamped(text: str) -> datetime | None:
    """The time in a timestamp.txt that was written here."""
    try:
        return datetime.strptime(text.strip(), STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def folder(course: Course, unit: str) -> Path:
    return course.root / "inbox" / unit


def write(course: Course, unit: str, one: Taken) -> None:
    path = folder(course, unit) / "notes" / f"{one.student}.json"
    write_whole(path, json.dumps(asdict(one), ensure_ascii=False, indent=1))


def read(course: Course, unit: str, student: str) -> Taken | None:
    """What is known about how a submission came in."""
    try:
        data = json.loads((folder(course, unit) / "notes" / f"{student}.json").read_bytes())
        one = Taken(**data)
    except (OSError, ValueError, TypeError):
        return None
    return one if one.source in SOURCES else None


def came(course: Course, unit: str, student: str) -> HandIn:
    """When what is in submitted/ was handed in. A timestamp.txt that collecting did not write was
    put there by a person, or by nbgrader."""
    one = read(course, unit, student)
    path = course.submission(student, unit) / "timestamp.txt"
    try:
        written = outside.read_bounded(path, 1000).decode("utf-8").strip()
        if written and (one is None or written != one.time):
            return HandIn(moment(written, UTC, path), "timestamp")
    except (OSError, UnicodeDecodeError, UserError):
        pass
    return one.came if one is not None else HandIn()


def notes_of(course: Course, unit: str, student: str) -> tuple[str, ...]:
    """What collecting had to mend or left out, for the grader and for the student's page."""
    one = read(course, unit, student)
    return (*one.repairs, *one.said) if one is not None else ()


def remember_problems(course: Course, unit: str, problems: list[dict[str, str]]) -> None:
    """Why a run could not grade somebody, for the report on the class."""
    found = {each["student"]: each["reason"] for each in problems}
    path = course.root / "runs" / "problems" / f"{unit}.json"
    write_whole(path, json.dumps(_problems(course, unit) | found, ensure_ascii=False, indent=1))


def _problems(course: Course, unit: str) -> dict[str, str]:
    try:
        return dict(json.loads((course.root / "runs" / "problems" / f"{unit}.json").read_bytes()))
    except (OSError, ValueError):
        return {}


def ungraded(course: Course, unit: str, graded: set[str]) -> list[dict[str, Any]]:
    """Who handed something in that has no result, and why, as the report on the class lists it."""
    waiting = dict.fromkeys(course.students(unit), "handed in, but not graded")
    waiting |= {s: why for s, why in _problems(course, unit).items() if s in waiting}
    try:
        report = json.loads((folder(course, unit) / "report.json").read_bytes())
        for row in report["students"]:
            if row["status"] == "refused":
                waiting[row["student"]] = "; ".join(row["notes"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return [
        {"student": student, "reasons": [reason]}
        for student, reason in sorted(waiting.items())
        if student not in graded
    ]
