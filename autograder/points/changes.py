"""What a regrade changed: old and new final points, penalty included, for the terminal, a table and
the student's page."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder import outside
from autograder.course import Course
from autograder.files import write_whole
from autograder.points.facts import Ledger
from autograder.points.finals import Final, finals, has_gradebook
from autograder.titles import title

Kept = Mapping[str, Mapping[str, tuple[float, float]]]  # student -> cell -> points kept, of now


@dataclass(frozen=True)
class Change:
    """Somebody's final points before and after a regrade, or what was kept in spite of it."""

    student: str
    before: float
    after: float
    reason: str
    time: str
    kept: list[str] = field(default_factory=list)  # what would be less now and stays

    @property
    def words(self) -> str:
        if not self.changed:
            return f"final points stay {self.after:g}: {self.reason}"
        return f"final points changed from {self.before:g} to {self.after:g}: {self.reason}"

    @property
    def changed(self) -> bool:
        return abs(self.before - self.after) > 1e-6


def points(course: Course, unit: str) -> dict[str, Final]:
    """Everybody's final points of now, to be compared with later."""
    if not has_gradebook(course):
        return {}
    return {s: final for s, final in finals(course, unit).items() if final.graded}


def remember(
    course: Course, unit: str, before: Mapping[str, Final], reason: str, kept: Kept | None = None
) -> list[Change]:
    """Who has other points than before, or keeps points that would be fewer now; stored beside
    what is known of earlier changes."""
    now, found = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"), []
    for student, final in points(course, unit).items():
        stays = [
            f"{title(course, unit, name)} stays {old:g}, though it would be {new:g} now"
            for name, (old, new) in (kept or {}).get(student, {}).items()
        ]
        if student in before:
            said = "; ".join([reason, *differences(course, unit, before[student], final), *stays])
            old, new = round(before[student].score, 6), round(final.score, 6)
            change = Change(student, old, new, said, now, stays)
            if change.changed or stays:
                found.append(change)
    if found:
        kept = {**_stored(course, unit), **{each.student: asdict(each) for each in found}}
        write_whole(_path(course, unit), json.dumps(kept, ensure_ascii=False, indent=1))
        write_whole(table_path(course, unit), _table(course, kept))
    return found


def differences(course: Course, unit: str, before: Final, after: Final) -> list[str]:
    """In which questions the points differ, and whether the penalty does."""
    found = []
    for name, cell in after.cells.items():
        old = before.cells[name].points if name in before.cells else 0.0
        if abs(old - cell.points) > 1e-6:
            found.append(f"{title(course, unit, name)} from {old:g} to {cell.points:g}")
    old, new = before.points.off, after.points.off
    if abs(old - new) > 1e-6:
        found.append(f"late penalty from {old:g} to {new:g}")
    return found


def of(course: Course, unit: str, student: str) -> Change | None:
    """The last change of somebody's points in a unit."""
    return all_of(course, unit).get(student)


def all_of(course: Course, unit: str) -> dict[str, Change]:
    """Student -> the last change of points in a unit, the newest first."""
    found = {student: Change(**row) for student, row in _stored(course, unit).items()}
    return dict(sorted(found.items(), key=lambda each: each[1].time, reverse=True))


def table_path(course: Course, unit: str) -> Path:
    return course.root / "runs" / "changes" / f"{unit}.csv"


def _path(course: Course, unit: str) -> Path:
    return course.root / "runs" / "changes" / f"{unit}.json"


def _stored(course: Course, unit: str) -> dict[str, Any]:
    try:
        return dict(json.loads(_path(course, unit).read_bytes()))
    except (OSError, ValueError):
        return {}


def _table(course: Course, kept: Mapping[str, Any]) -> str:
    people = Ledger(course).people
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "name", "before", "after", "reason", "time"])
    for row in kept.values():
        who = [outside.cell(row["student"]), outside.cell(people.name(row["student"]))]
        why = outside.cell(row["reason"])
        writer.writerow([*who, row["before"], row["after"], why, row["time"]])
    return out.getvalue()
