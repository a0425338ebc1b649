"""What is in force in a course, where it came from, and its calendar, as lines for a terminal."""

from datetime import UTC, datetime

from autograder.course import Course
from autograder.points.facts import Ledger
from autograder.settings import Limits


def lines(course: Course, now: datetime | None = None) -> list[str]:
    """All of it; whatever is wrong in course.toml is raised as a UserError."""
    if course.foreign:
        return _of_nbgrader(course)
    return [*_settings(course), *_calendar(course, now or datetime.now(UTC))]


def _of_nbgrader(course: Course) -> list[str]:
    """A course that nbgrader made: dates, penalties and weights are nbgrader's own."""
    units = ", ".join(f"{unit} ({len(course.students(unit))})" for unit in course.unit_names)
    return [
        f"nbgrader_config.py: {course.settings.title}",
        f"assignments, and how many have handed in: {units or 'none'}",
        "due dates, extensions and penalties: nbgrader's gradebook and its plugin",
        f"limits: {course.settings.limits}",
    ]


def _settings(course: Course) -> list[str]:
    settings, late, total = course.settings, course.settings.late, course.settings.total
    found = [f"course.toml: {settings.title}, times without a zone are in {settings.timezone}"]
    if course.roster is None:
        found.append("roster: none (students.csv)")
    else:
        found.append(f"roster: {len(Ledger(course).people.students)} students (students.csv)")
    if late.penalty_per_day:
        parts = [f"{100 * late.penalty_per_day:g} % per day begun"]
        parts.append(f"at most {100 * late.max_penalty:g} %")
        parts.append(f"{late.grace_minutes:g} minutes of grace")
        parts.append(f"{late.late_days} free late days")
        parts.append(f"late by an unknown amount counts {late.unknown_days} day(s)")
        found.append(f"late: {', '.join(parts)}")
    else:
        found.append("late: no penalty")
    weights = [f"{unit[:2]} {weight:g}" for unit, weight in settings.weights.items()]
    count = "the same for every unit" if not weights else ", ".join(weights)
    best = f", the best {total.best} count" if total.best is not None else ""
    missing = {"zero": "0", "blank": "left out"}[total.missing]
    found.append(
        f"total: weights {count}{best}; a unit not handed in is {missing};"
        f" out of {total.out_of:g}, {total.decimals} decimals"
    )
    if settings.letters:
        ranked = sorted(settings.letters.items(), key=lambda each: -each[1])
        found.append("letters: " + ", ".join(f"{name} from {low:g} %" for name, low in ranked))
    for unit, each in settings.questions.items():
        for what, names in (("dropped", each.drop), ("full credit", each.full_credit)):
            if names:
                found.append(f"questions of {unit}, {what}: {', '.join(names)}")
    if settings.limits != Limits():
        found.append(f"limits: {settings.limits}")
    return found


def _calendar(course: Course, now: datetime) -> list[str]:
    """Everything that has a date, in its order, with a mark for today."""
    ledger, events = Ledger(course), list[tuple[datetime, str]]()
    for unit, when in course.settings.open.items():
        events.append((when, f"{unit} opens"))
    for unit, when in course.settings.due.items():
        events.append((when, f"{unit} is due"))
        end = ledger.closes(unit)
        if end is not None and end != when:
            events.append((end, f"{unit} closes for everybody"))
        for student, until in sorted(ledger.extensions(unit).items()):
            toml = student in {ledger.student(s) for s in course.settings.extensions.get(unit, {})}
            source = "course.toml" if toml else "--extensions"
            events.append((until, f"{unit} is due for {student} (extension, {source})"))
    if not events:
        return ["calendar: course.toml has no dates ([open], [due])"]
    events.append((now, "--- now ---"))
    zone = course.settings.zone
    return [
        "calendar:",
        *(f"  {when.astimezone(zone):%Y-%m-%d %H:%M %Z}  {what}" for when, what in sorted(events)),
    ]
