"""From facts to points: what a late submission costs, what counts in a unit, and what a course
comes to.

Pure functions without files or clocks: the same facts give the same grade, in whatever order they
became known.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from math import fsum

DAY = 24 * 3600.0
SOURCES = {  # where a time of hand-in is known from, in words; the surest first
    "told": "the instructor's table",
    "worksheet": "the platform's own table",
    "timestamp": "timestamp.txt",
    "mark": "the platform's mark LATE",
    "unmarked": "not marked LATE by the platform",
    "file": "time of the file",
    "entry": "time of the zip entry",
    "none": "unknown",
}
SURE = ("told", "worksheet", "timestamp", "mark", "unmarked")


@dataclass(frozen=True)
class HandIn:
    """When a submission came, and how that is known."""

    time: datetime | None = None  # with a zone; None if it is not known
    source: str = "none"  # a key of SOURCES
    zone: str = "UTC"  # in which a time without a zone was read

    @property
    def sure(self) -> bool:
        return self.source in SURE

    @property
    def words(self) -> str:
        """For people: the time and its source, or what is not known."""
        if self.time is not None:
            return f"{self.time:%Y-%m-%d %H:%M:%S %Z} ({SOURCES[self.source]})"
        return {
            "mark": "late, by an unknown amount (the platform's mark LATE)",
            "unmarked": "in time (not marked LATE by the platform)",
        }.get(self.source, "at an unknown time")

    def better_than(self, other: "HandIn") -> bool:
        """Which of two statements about the same file is believed; of two alike, the earlier."""
        order = list(SOURCES)
        if self.source != other.source or self.source == "told":
            return order.index(self.source) <= order.index(other.source)
        return self.time is not None and (other.time is None or self.time < other.time)


@dataclass(frozen=True)
class Rule:
    """What handing in late costs: [late] of course.toml."""

    penalty_per_day: float = 0.0  # share of the points per day begun
    max_penalty: float = 1.0  # the largest share that is taken off
    grace_minutes: float = 0.0  # so much later is not late
    late_days: int = 0  # free days of each student, for the whole course
    unknown_days: int = 1  # what "late, by an unknown amount" counts


@dataclass(frozen=True)
class Deadline:
    """Until when one student may hand in one unit."""

    due: datetime | None = None
    extended: datetime | None = None

    @property
    def last(self) -> datetime | None:
        return self.extended or self.due


@dataclass(frozen=True)
class Lateness:
    """How late a submission is; `known` is False if only that it is late is known."""

    days: int = 0  # begun, after grace
    seconds: float = 0.0
    known: bool = True
    words: str = ""


def lateness(came: HandIn, until: Deadline, rule: Rule) -> Lateness:
    """How late it came. Doubt never counts against a student, an unknown amount never against an
    extension."""
    last = until.last
    if last is None:
        return Lateness()
    if came.time is not None:
        seconds = max(0.0, (came.time - last).total_seconds())
        if seconds <= rule.grace_minutes * 60:
            return Lateness(seconds=seconds, words="within the grace period" if seconds else "")
        days = math.ceil(seconds / DAY)
        return Lateness(days, seconds, True, f"{_days(days)} late, begun days counted")
    if came.source != "mark":
        return Lateness()
    if until.extended is not None:
        said = "marked LATE by the platform, which does not know of the extension"
        return Lateness(known=False, words=f"{said}: counted as in time")
    days = rule.unknown_days
    return Lateness(days, 0.0, False, f"late by an unknown amount, {_days(days)} counted")


def _days(count: int) -> str:
    return f"{count} day{'' if count == 1 else 's'}"


@dataclass(frozen=True)
class Charge:
    """What lateness costs in one unit, as a share of the points, and why."""

    share: float = 0.0
    free: int = 0  # late days used up
    reason: str = ""

    def off(self, points: float) -> float:
        """What is taken off so many points."""
        return min(max(points, 0.0), max(0.0, points * self.share))


def charges(late: Mapping[str, Lateness], order: Iterable[str], rule: Rule) -> dict[str, Charge]:
    """Unit -> what one student's lateness costs; free days go to the units in their order."""
    left, found = rule.late_days, {}
    for unit in order:
        mine = late.get(unit, Lateness())
        free = min(left, mine.days)
        left -= free
        share = min(rule.penalty_per_day * (mine.days - free), rule.max_penalty, 1.0)
        found[unit] = Charge(share, free, _reason(mine, free, share, rule))
    return found


def _reason(late: Lateness, free: int, share: float, rule: Rule) -> str:
    if not late.words or not (late.days or not late.known or late.seconds):
        return ""
    parts = [late.words]
    if free:
        parts.append(f"{_days(free)} of {rule.late_days} free late days used")
    if share:
        most = ", the most that is taken off" if share == rule.max_penalty else ""
        parts.append(f"{100 * share:g} % taken off{most}")
    elif late.days and rule.penalty_per_day and not free:
        parts.append("nothing taken off")
    return "; ".join(parts)


# One unit ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A graded cell as the gradebook has it."""

    points: float  # automatic or by hand, with extra credit; 0 while nobody has graded it
    most: float
    waiting: bool = False  # for a person


@dataclass(frozen=True)
class Questions:
    """What was decided about questions after the fact: [questions] of course.toml."""

    drop: tuple[str, ...] = ()  # count for nobody
    full_credit: tuple[str, ...] = ()  # full points for everybody who handed in


@dataclass(frozen=True)
class Points:
    """A unit of one student: what counts in the end, and how it came about."""

    earned: float
    most: float
    off: float = 0.0
    waiting: bool = False

    @property
    def final(self) -> float:
        return max(0.0, self.earned - self.off)


def points(cells: Mapping[str, Cell], questions: Questions, charge: Charge) -> Points:
    """The points of a submission after dropped questions, full credit and the late penalty."""
    kept = {name: cell for name, cell in cells.items() if not named(name, questions.drop)}
    given = {
        name: max(cell.points, cell.most) if named(name, questions.full_credit) else cell.points
        for name, cell in kept.items()
    }
    earned = fsum(given.values())
    waiting = any(
        cell.waiting for name, cell in kept.items() if not named(name, questions.full_credit)
    )
    return Points(earned, fsum(cell.most for cell in kept.values()), charge.off(earned), waiting)


def named(cell: str, names: Iterable[str]) -> bool:
    """Is this graded cell meant? A question is called by its cell or by its exercise."""
    return cell in names or cell.removeprefix("test_") in names


# The course --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scheme:
    """How units become one grade: [weights], [total] and [letters] of course.toml."""

    weights: Mapping[str, float] = field(default_factory=dict)  # empty: every unit counts the same
    best: int | None = None  # only so many units count, those with the highest shares
    missing: str = "zero"  # a unit that was not handed in: "zero", or "blank" (left out)
    out_of: float = 100.0
    decimals: int = 2
    letters: Mapping[str, float] = field(default_factory=dict)  # letter -> from so many percent on


@dataclass(frozen=True)
class Total:
    """A student's final grade; None where nothing counts yet."""

    score: float | None
    out_of: float
    letter: str = ""
    counted: tuple[str, ...] = ()  # units
    waiting: bool = False


def total(units: Mapping[str, Points | None], scheme: Scheme) -> Total:
    """The final grade from the units of the course; None stands for a unit not handed in."""
    weights = scheme.weights or dict.fromkeys(units, 1.0)
    shares: dict[str, float] = {}
    for unit in sorted(units):
        mine = units[unit]
        if weights.get(unit, 0.0) <= 0 or (mine is None and scheme.missing == "blank"):
            continue
        if mine is not None and mine.most <= 0:
            continue  # every question was dropped
        shares[unit] = mine.final / mine.most if mine is not None else 0.0
    best = sorted(shares, key=lambda unit: (-shares[unit], unit))[: scheme.best]
    whole = fsum(weights[unit] for unit in best)
    if not whole:
        return Total(None, scheme.out_of)
    share = fsum(weights[unit] * shares[unit] for unit in best) / whole
    score = rounded(share * scheme.out_of, scheme.decimals)
    waiting = any(mine is not None and mine.waiting for mine in units.values())
    found = letter(100 * score / scheme.out_of, scheme.letters)
    return Total(score, scheme.out_of, found, tuple(sorted(best)), waiting)


def letter(percent: float, letters: Mapping[str, float]) -> str:
    """The letter of a rounded score."""
    ranked = sorted(letters, key=lambda name: -letters[name])
    return next((name for name in ranked if percent >= letters[name] - 1e-9), "")


def rounded(value: float, decimals: int) -> float:
    """Half up, as people round: what the computer makes of 2.675 does not count."""
    exact = Decimal(repr(round(value, 9)))
    return float(exact.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP))


def closes(deadlines: Iterable[Deadline], rule: Rule) -> datetime | None:
    """When the last student's time for a unit is up, the grace period included."""
    ends = [each.last for each in deadlines if each.last is not None]
    return max(ends) + timedelta(minutes=rule.grace_minutes) if ends else None
