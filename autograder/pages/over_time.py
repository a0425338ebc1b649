"""Pages over the whole course: one per student (points by unit, mistakes that come back, what to
look at again) and one for the class over time. They need two graded units."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any

from autograder import files, outside
from autograder.course import Course
from autograder.grading.results import CellResult, Result
from autograder.pages import common, unnamed
from autograder.points.facts import Ledger
from autograder.points.finals import Final, finals
from autograder.titles import title

LEAST = 2  # units that make a course
AGAIN = 5  # things to look at again
FALLEN = 0.25  # of the points: so far below the earlier ones that somebody should ask


@dataclass(frozen=True)
class Mistake:
    """A wrong answer of one student."""

    unit: str
    unit_title: str
    exercise: str
    question: str
    slug: str  # empty: without a name
    said: str
    hint: str
    section: str
    link: str  # to the section of the lecture
    lost: float
    choice: bool = False

    @property
    def chosen(self) -> str:
        """As a statement about the class: an option by itself could be taken for the truth."""
        return f"chosen: {self.said}" if self.choice else self.said


@dataclass(frozen=True)
class Step:
    """What one student did in one unit."""

    unit: str
    title: str
    score: float
    maximum: float
    waiting: float  # points that a person has still to give
    late: str  # why points were taken off or not; empty: in time
    page: str  # beside the pages of the units; empty if there is none
    mistakes: tuple[Mistake, ...]

    @property
    def share(self) -> float:
        """Of the points that somebody or something has decided about."""
        decided = self.maximum - self.waiting
        return min(1.0, self.score / decided) if decided > 0 else 1.0


@dataclass(frozen=True)
class Again:
    """A mistake that was made in several units."""

    slug: str
    mistakes: tuple[Mistake, ...]  # in the order of the units

    @property
    def last(self) -> Mistake:
        return self.mistakes[-1]


Steps = Mapping[str, Step]  # unit -> what was done there


def build(course: Course, units: list[str]) -> Path | None:
    """Write pages/course.html and pages/course/STUDENT.html; None before the second unit."""
    if len(units) < LEAST:
        return None
    everybody = steps(course, units)
    people = Ledger(course).people
    names = {student: people.name(student) for student in everybody}
    titles = {unit: course.unit(unit).title for unit in units}
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    shared = {"course": course.settings.title, "titles": titles, "made": made}
    page = common.templates().get_template("student.html")
    style, policy = common.asset("page.css"), common.policy()
    for student, mine in everybody.items():
        text = page.render(
            **shared,
            student=student,
            name=names[student],
            steps=mine,
            back=come_back(mine),
            again=look_again(mine),
            style=style,
            policy=policy,
        )
        files.write_whole(common.course_path(course, student), text)
    script = common.asset("report.js")
    path = common.course_path(course)
    text = (
        common.templates()
        .get_template("course.html")
        .render(
            **shared,
            names=names,
            pages={each: f"course/{common.course_path(course, each).name}" for each in everybody},
            everybody=everybody,
            noticed={student: notice(mine, units) for student, mine in everybody.items()},
            units=[by_unit(everybody, unit) for unit in units],
            chart=chart([by_unit(everybody, unit) for unit in units]),
            back=class_come_back(everybody),
            style=style + common.asset("report.css"),
            script=script,
            policy=common.policy(script),
        )
    )
    files.write_whole(path, text)
    return path


# What a student did ------------------------------------------------------------------------------


def steps(course: Course, units: Iterable[str]) -> dict[str, dict[str, Step]]:
    """Student -> unit -> what was done; everybody of the roster, and everybody who is graded."""
    ledger = Ledger(course)
    found: dict[str, dict[str, Step]] = {student: {} for student in ledger.people.students}
    for unit in units:
        graded = finals(course, unit, ledger)
        for result in unnamed.graded(course, unit):
            final = graded.get(result.student)
            page = common.feedback_path(course, unit, result.student)
            found.setdefault(result.student, {})[unit] = Step(
                unit,
                course.unit(unit).title,
                final.score if final is not None else result.score,
                final.points.most if final is not None else result.max_score,
                _waiting(result, final),
                final.reason if final is not None else "",
                f"{unit}/{page.name}" if page.is_file() else "",
                tuple(_mistakes(course, unit, result.cells, final)),
            )
    return dict(sorted(found.items()))


def _waiting(result: Result, final: Final | None) -> float:
    if final is not None:
        return sum(cell.most for cell in final.cells.values() if cell.waiting)
    return sum(cell.max_points for cell in result.cells if cell.points is None)


def _mistakes(
    course: Course, unit: str, cells: Iterable[CellResult], final: Final | None
) -> Iterable[Mistake]:
    for cell in cells:
        points = cell.points
        if final is not None and cell.name in final.cells:
            points = final.cells[cell.name].points
        if cell.how == "by hand" or points is None or points >= cell.max_points:
            continue
        exercise = cell.exercise or cell.name.removeprefix("test_")
        told = cell.title or (cell.status if cell.status == "not started" else "not right yet")
        yield Mistake(
            unit,
            course.unit(unit).title,
            exercise,
            title(course, unit, exercise),
            cell.misconception if cell.misconception and cell.status == "failed" else "",
            told,
            outside.line(cell.message, 600) if cell.misconception else "",
            cell.section,
            common.site_link(course, unit, cell.section)
            or common.section_link(course, unit, cell.section)
            if cell.section
            else "",
            cell.max_points - points,
            cell.kind == "choice" and bool(cell.misconception),
        )


def come_back(mine: Steps) -> list[Again]:
    """Mistakes with a name that a student made in more than one unit."""
    found: dict[str, list[Mistake]] = defaultdict(list)
    for step in mine.values():
        for mistake in step.mistakes:
            if mistake.slug:
                found[mistake.slug].append(mistake)
    return [
        Again(slug, tuple(each)) for slug, each in found.items() if len({m.unit for m in each}) > 1
    ]


def look_again(mine: Steps) -> list[Mistake]:
    """What is worth another look: first what came back, then mistakes that have a name, then what
    cost most; of a mistake that came back, the last place."""
    back = {again.slug: again.last for again in come_back(mine)}
    others = [
        mistake for step in mine.values() for mistake in step.mistakes if mistake.slug not in back
    ]
    others.sort(key=lambda mistake: (not mistake.slug, -mistake.lost))
    return [*back.values(), *others][:AGAIN]


def notice(mine: Steps, units: list[str]) -> str:
    """Why somebody should speak with a student; empty where there is nothing to see."""
    if not mine:
        return "has handed in nothing"
    if units[-1] not in mine:
        return "did not hand in the last unit"
    earlier = [step.share for unit, step in mine.items() if unit != units[-1]]
    if earlier and mine[units[-1]].share < mean(earlier) - FALLEN:
        return "fell behind in the last unit"
    return ""


# The class ---------------------------------------------------------------------------------------


def by_unit(everybody: Mapping[str, Steps], unit: str) -> dict[str, Any]:
    """How the class did in one unit, as shares of the points."""
    found = [mine[unit] for mine in everybody.values() if unit in mine]
    shares = sorted(step.share for step in found)
    low, _, high = quantiles(shares, method="inclusive") if len(shares) > 1 else [shares[0]] * 3
    mistakes: dict[tuple[str, str], int] = defaultdict(int)
    for step in found:
        for each in {(m.question, m.chosen) for m in step.mistakes if m.slug}:
            mistakes[each] += 1
    most = max(mistakes, key=lambda each: mistakes[each], default=None)
    return {
        "unit": unit,
        "title": found[0].title,
        "students": len(found),
        "missing": len(everybody) - len(found),
        "late": sum(bool(step.late) for step in found),
        "median": median(shares),
        "low": low,
        "high": high,
        "most": {"question": most[0], "said": most[1], "students": mistakes[most]}
        if most
        else None,
    }


def class_come_back(everybody: Mapping[str, Steps]) -> list[dict[str, Any]]:
    """The mistakes that come back, those of most students first: how many made each in which unit,
    and who made it more than once."""
    found: dict[str, dict[str, Any]] = {}
    for student, mine in everybody.items():
        for again in come_back(mine):
            entry = found.setdefault(
                again.slug, {"said": again.last.chosen, "students": [], "units": defaultdict(int)}
            )
            entry["students"].append(student)
    for mine in everybody.values():
        for step in mine.values():
            for slug in {m.slug for m in step.mistakes} & set(found):
                found[slug]["units"][step.unit] += 1
    return sorted(found.values(), key=lambda entry: -len(entry["students"]))


def chart(units: list[dict[str, Any]]) -> dict[str, Any]:
    """Median and quartiles over the units as points of a drawing, 600 wide and 200 high."""
    gap = 600 / max(1, len(units) - 1)

    def at(place: int, share: float) -> str:
        return f"{place * gap:.1f},{200 - 200 * min(1.0, max(0.0, share)):.1f}"

    numbered = list(enumerate(units))
    band = [at(i, unit["high"]) for i, unit in numbered]
    band += [at(i, unit["low"]) for i, unit in reversed(numbered)]
    line = [at(i, unit["median"]) for i, unit in numbered]
    dots = [each.split(",") for each in line]
    return {"band": " ".join(band), "line": " ".join(line), "dots": dots, "gap": gap}
