"""The facts of a course that decide about grades: due dates, extensions, times of hand-in.

They are read anew each time, from course.toml and inbox/, so that a change of any of them reaches
everything that is graded at once, and no code runs again.
"""

import json
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from autograder.collecting import platforms, taken
from autograder.collecting.platforms import Roster, safe
from autograder.collecting.times import moment
from autograder.course import Course
from autograder.errors import UserError
from autograder.files import write_whole
from autograder.points import policy
from autograder.points.policy import Charge, Deadline, HandIn, Lateness, Rule
from autograder.settings import nearest


class Ledger:
    """Who had until when, who came when, and what that costs."""

    def __init__(self, course: Course) -> None:
        self.course, self.settings = course, course.settings
        self._granted: dict[str, dict[str, datetime]] = {}

    @cached_property
    def people(self) -> Roster:
        return platforms.read_roster(self.course.roster, None)

    @cached_property
    def order(self) -> list[str]:
        """The units with a due date, in the order in which late days are used up."""
        return sorted(self.settings.due, key=lambda unit: (self.settings.due[unit], unit))

    def extensions(self, unit: str) -> dict[str, datetime]:
        """Student -> due date of the student's own; course.toml is believed over a table."""
        if unit not in self._granted:
            given = {
                self.student(name): due
                for name, due in self.settings.extensions.get(unit, {}).items()
            }
            self._granted[unit] = stored(self.course, unit) | given
        return self._granted[unit]

    def student(self, name: str) -> str:
        """The student who is called so in course.toml."""
        if not self.people.known:
            return safe(name)
        if (found := self.people.find([name])) is not None:
            return found
        near = nearest(name, self.people.students)
        raise UserError(f"course.toml: [extensions] names {name!r}, who is not in the roster{near}")

    def deadline(self, unit: str, student: str) -> Deadline:
        return Deadline(self.settings.due.get(unit), self.extensions(unit).get(student))

    def came(self, unit: str, student: str) -> HandIn:
        return taken.came(self.course, unit, student)

    def lateness(self, unit: str, student: str) -> Lateness:
        until = self.deadline(unit, student)
        if not (self.course.submitted / student / unit).is_dir():
            return Lateness()
        return policy.lateness(self.came(unit, student), until, self.settings.late)

    def charge(self, unit: str, student: str) -> Charge:
        """What lateness costs a student in a unit; late days are counted over the whole course."""
        order = [*self.order] if unit in self.settings.due else [*self.order, unit]
        if not self.settings.late.late_days:
            order = [unit]
        late = {each: self.lateness(each, student) for each in order}
        return policy.charges(late, order, self.settings.late)[unit]

    def closes(self, unit: str) -> datetime | None:
        """When everybody's time for a unit is up; None if it has no due date."""
        if (due := self.settings.due.get(unit)) is None:
            return None
        ends = [Deadline(due), *(Deadline(due, each) for each in self.extensions(unit).values())]
        return policy.closes(ends, self.settings.late)


def is_late(came: HandIn, until: Deadline, rule: Rule) -> bool:
    """Does it count as late?"""
    return policy.lateness(came, until, rule).days > 0


# Extensions that came as a table -----------------------------------------------------------------


def stored(course: Course, unit: str) -> dict[str, datetime]:
    """The extensions that were given to `autograder collect` as a table."""
    path = taken.folder(course, unit) / "extensions.json"
    try:
        rows = json.loads(path.read_bytes())
        return {student: datetime.fromisoformat(due) for student, due in rows.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, TypeError):
        raise UserError(f"{path} cannot be read: delete it and collect with --extensions") from None


def extend(course: Course, unit: str, path: Path, people: Roster) -> None:
    """Remember a table of extensions: student, due, and perhaps unit."""
    given = {}
    for row in platforms.table(path, "student", "due"):
        if row.get("unit") and course.unit_name(row["unit"]) != unit:
            continue
        student = people.find([row["student"]]) if people.known else safe(row["student"])
        if student is None:
            near = nearest(row["student"], people.students)
            raise UserError(f"{path}: {row['student']!r} is not in the roster{near}")
        due = moment(row["due"], course.settings.zone, path)
        given[student] = due.astimezone(UTC).isoformat()
    known = {student: due.isoformat() for student, due in stored(course, unit).items()}
    target = taken.folder(course, unit) / "extensions.json"
    write_whole(target, json.dumps(known | given, ensure_ascii=False, indent=1))
