"""Final points: what the gradebook holds, with the facts and the rules of now applied to it.

Everything that shows or exports points reads them here. `settle` also writes due dates, times and
penalties into the gradebook, so that nbgrader's own pages and exports agree.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.course import Course
from autograder.errors import UserError
from autograder.points import policy
from autograder.points.facts import Ledger
from autograder.points.policy import Cell, Charge, HandIn, Lateness, Points, Questions, Total

if TYPE_CHECKING:
    from autograder.gradebook import Grade


@dataclass(frozen=True)
class Final:
    """One graded submission: points that count, and all that led to them."""

    student: str
    points: Points
    charge: Charge
    late: Lateness
    came: HandIn
    cells: Mapping[str, Cell]
    comments: Mapping[str, str] = field(default_factory=dict)  # grade id -> a person's
    graded: bool = True  # somebody or something has given points

    @property
    def score(self) -> float:
        return self.points.final

    @property
    def reason(self) -> str:
        """Why points were taken off, or not; empty if it was in time."""
        return self.charge.reason


def finals(course: Course, unit: str, ledger: Ledger | None = None) -> dict[str, Final]:
    """Student -> final points of a unit, for everybody whose submission is in the gradebook."""
    ledger = ledger or Ledger(course)
    from autograder.gradebook import grades  # imports nbgrader: only where it is needed

    read = grades(course, unit) if has_gradebook(course) else []
    questions = checked_questions(course, unit, {name for each in read for name in each.cells})
    if course.foreign:
        return {each.student: _as_recorded(each, questions) for each in read}
    return {each.student: _final(each, unit, questions, ledger) for each in read}


def _as_recorded(grade: "Grade", questions: Questions) -> Final:
    """Of a course that nbgrader made: the penalty is the one that its plugin set."""
    cells = {
        name: Cell(cell.score or 0.0, cell.max_score, cell.needs_manual_grade)
        for name, cell in grade.cells.items()
    }
    late = grade.late_seconds > 0
    reason = f"{timedelta(seconds=round(grade.late_seconds))} late" if late else ""
    share = grade.late_penalty / grade.score if grade.score else 0.0
    charge = Charge(share, reason=reason)
    return Final(
        grade.student,
        policy.points(cells, questions, charge),
        charge,
        Lateness(seconds=grade.late_seconds, words=reason),
        HandIn(grade.time.replace(tzinfo=UTC), "timestamp") if grade.time else HandIn(),
        cells,
        grade.comments,
        grade.graded,
    )


def _final(grade: "Grade", unit: str, questions: Questions, ledger: Ledger) -> Final:
    cells = {
        name: Cell(cell.score or 0.0, cell.max_score, cell.needs_manual_grade)
        for name, cell in grade.cells.items()
    }
    charge = ledger.charge(unit, grade.student)
    return Final(
        grade.student,
        policy.points(cells, questions, charge),
        charge,
        ledger.lateness(unit, grade.student),
        ledger.came(unit, grade.student),
        cells,
        grade.comments,
        grade.graded,
    )


def checked_questions(course: Course, unit: str, names: set[str]) -> Questions:
    """[questions] of course.toml for a unit; a name that no graded cell has is refused."""
    questions = course.settings.questions.get(unit, Questions())
    for name in (*questions.drop, *questions.full_credit) if names else ():
        if not any(policy.named(each, (name,)) for each in names):
            listed = ", ".join(sorted(each.removeprefix("test_") for each in names))
            raise UserError(f"course.toml: {unit} has no graded question {name!r}; it has {listed}")
    return questions


# The gradebook follows ---------------------------------------------------------------------------


def settle(course: Course, unit: str) -> None:
    """Write due date, extensions, times and penalties of now into the gradebook, where they are
    not what is there already; a unit that is not released has nothing to follow."""
    from autograder.gradebook import api, opened

    if course.foreign or not has_gradebook(course):
        return  # nbgrader's own configuration and gradebook decide there
    ledger = Ledger(course)
    with warnings.catch_warnings(), opened(course) as gradebook:
        warnings.simplefilter("ignore")  # SQLAlchemy's, on how nbgrader uses it
        try:
            assignment = gradebook.find_assignment(unit)
        except api.MissingEntry:
            return
        due = course.settings.due.get(unit)
        _set(assignment, "duedate", due and due.astimezone(UTC).replace(tzinfo=None))
        for student in sorted(ledger.extensions(unit)) if due else []:
            if (course.submitted / student / unit).is_dir():
                gradebook.update_or_create_student(student)
                gradebook.update_or_create_submission(unit, student)
        points = finals(course, unit, ledger)
        for submission in assignment.submissions:
            student = submission.student_id
            until = ledger.deadline(unit, student).extended
            longer = until - due if until and due else None
            _set(submission, "extension", longer if longer and longer > timedelta(0) else None)
            came = ledger.came(unit, student).time
            if came is not None:
                _set(submission, "timestamp", came.astimezone(UTC).replace(tzinfo=None))
            off = points[student].points.off if student in points else 0.0
            for notebook in submission.notebooks:
                _set(notebook, "late_submission_penalty", off or None)
        gradebook.db.commit()


def has_gradebook(course: Course) -> bool:
    """Is there one? Asking nbgrader would make one."""
    from autograder.gradebook import address

    url = address(course)
    return url.get_backend_name() != "sqlite" or Path(url.database or "").is_file()


def _set(row: Any, name: str, value: Any) -> None:
    if getattr(row, name) != value:
        setattr(row, name, value)


# The course's total ------------------------------------------------------------------------------


@dataclass(frozen=True)
class CourseTotal:
    """Everybody's final grade."""

    units: tuple[str, ...]  # that count
    students: Mapping[str, Total]
    points: Mapping[str, Mapping[str, Points | None]]  # student -> unit


def graded_units(course: Course) -> list[str]:
    """The units in which somebody is graded."""
    from autograder.gradebook import opened

    with opened(course) as gradebook:
        names = sorted(assignment.name for assignment in gradebook.assignments)
    return [name for name in names if any(final.graded for final in finals(course, name).values())]


def totals(course: Course) -> CourseTotal:
    """The final grade of everybody in the roster, or of everybody who handed something in."""
    scheme, ledger = course.settings.total, Ledger(course)
    units = [u for u in graded_units(course) if not scheme.weights or scheme.weights.get(u, 0) > 0]
    if not units:
        raise UserError("nobody is graded yet: run `autograder grade UNIT` first")
    if scheme.best is not None and scheme.best > len(scheme.weights or course.unit_names):
        raise UserError(f"course.toml: [total] best = {scheme.best}, but there are fewer units")
    found = {unit: finals(course, unit, ledger) for unit in units}
    everybody = sorted(
        set(ledger.people.students)
        or {student for each in found.values() for student in each if each[student].graded}
    )
    points = {
        student: {
            unit: found[unit][student].points
            if student in found[unit] and found[unit][student].graded
            else None
            for unit in units
        }
        for student in everybody
    }
    return CourseTotal(
        tuple(units),
        {student: policy.total(points[student], scheme) for student in everybody},
        points,
    )
