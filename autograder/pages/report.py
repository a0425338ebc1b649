"""One page for the instructor.

How the class did, what it misunderstood, and which submissions need a person.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import correlation, median
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from autograder import files, outside
from autograder.collecting import taken
from autograder.collecting.repair import uncertain
from autograder.course import Course
from autograder.errors import NothingGraded
from autograder.grading.results import CellResult, Result
from autograder.pages import common, over_time, unnamed
from autograder.pages.feedback import code, code_style
from autograder.points import changes
from autograder.points.facts import Ledger
from autograder.points.finals import Final, finals
from autograder.sandbox.levels import not_held
from autograder.titles import Question, questions, title

if TYPE_CHECKING:
    from autograder.pages import similar

BINS = 10
TO_SAY = 3  # things to say tomorrow
FEW = 5  # students below which a correlation says nothing
LIVE = {  # what the website shows that moves, by unit
    "01_nadaraya_watson": "the bandwidth slider at the top of the lecture's page",
    "08_transformer_decoder": "the live translator at the top of the lecture's page",
    "09_vision_transformer": "the reader of digits at the top of the lecture's page",
    "10_image_captioning": "the live captioner at the top of the lecture's page",
}
MICROSCOPE = "the microscope, which shows the arithmetic of every attention weight"
MAX_REASONS = 10  # that the page gives for one submission


@dataclass(frozen=True)
class Misunderstood:
    """A misconception and who has it."""

    exercise: str
    title: str
    slug: str
    hint: str
    students: tuple[str, ...]
    link: str
    section: str = ""
    question: str = ""  # what the exercise is called
    lost: float = 0.0  # points of the class
    picture: str = ""  # SVG, made by the course's own code
    choice: bool = False
    understood: bool = False  # a rule was broken: nothing to explain in a lecture

    @property
    def alone(self) -> bool:
        """Has one student alone made this mistake?"""
        return len(self.students) == 1

    @property
    def said(self) -> str:
        """What was done, as a heading: an option by itself could be taken for the truth."""
        text = self.title or self.slug
        return f"They chose: {text}" if self.choice else text


def build(course: Course) -> Path:
    """Write pages/report.html from everything that is graded, and from the second unit on the
    pages over the whole course."""
    units = graded_units(course)
    over = over_time.build(course, units)
    script = common.asset("report.js")
    page = (
        common.templates()
        .get_template("report.html")
        .render(
            course=course.settings.title,
            units=[summary(course, unit) for unit in units],
            over=over.name if over is not None else "",
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            style=common.asset("page.css") + code_style() + common.asset("report.css"),
            script=script,
            policy=common.policy(script),
        )
    )
    path = common.report_path(course)
    files.write_whole(path, page)
    return path


def graded_units(course: Course) -> list[str]:
    folders = sorted(p for p in (course.root / "runs" / "results").glob("*") if p.is_dir())
    units = [folder.name for folder in folders if any(folder.glob("*.json"))]
    if not units:
        raise NothingGraded("nothing is graded yet: run `autograder grade UNIT` first")
    return units


def summary(course: Course, unit: str) -> dict[str, Any]:
    """Everything that the page shows about one unit."""
    everybody = unnamed.graded(course, unit)
    graded, people = finals(course, unit), Ledger(course).people
    rows = [row(course, result, graded.get(result.student)) for result in everybody]
    ungraded = taken.ungraded(course, unit, {result.student for result in everybody})
    mistakes = misconceptions(course, unit, everybody)
    names = list(dict.fromkeys(cell.name for result in everybody for cell in result.cells))
    return {
        "name": unit,
        "title": course.unit(unit).title,
        "rows": rows,
        "names": [title(course, unit, name) for name in names],
        "person": {each: people.name(each) for each in _students(rows, ungraded, graded)},
        "pages": {r["student"]: r["page"] for r in rows if r["page"]},
        "ungraded": ungraded,
        "say": to_say(course, unit, mistakes),
        "changes": changes.all_of(course, unit),
        "cells": names,
        "students": len(rows),
        "mean": sum(r["score"] for r in rows) / len(rows) if rows else 0.0,
        "median": sorted(r["score"] for r in rows)[len(rows) // 2] if rows else 0.0,
        "maximum": max((r["maximum"] for r in rows), default=0.0),
        "histogram": histogram(rows),
        "exercises": by_exercise(course, everybody, names),
        "days": days_taken(course, unit, everybody, graded),
        "unnamed": nameless(course, unit, everybody),
        "misconceptions": mistakes,
        "attention": [a for result in everybody if (a := needs_a_person(course, result))]
        + ungraded,
        "late": [(name, each) for name, each in sorted(graded.items()) if each.reason],
        "alike": alike(course, unit, everybody),
    }


def _students(
    rows: list[dict[str, Any]], ungraded: list[dict[str, Any]], graded: dict[str, Final]
) -> set[str]:
    return {each["student"] for each in (*rows, *ungraded)} | set(graded)


# Three things to say tomorrow --------------------------------------------------------------------


def to_say(course: Course, unit: str, mistakes: list[Misunderstood]) -> list[dict[str, Any]]:
    """The misconceptions that cost the class most, with what is needed to speak about them; those
    of one student alone come last: a lecture is for many."""
    asked, live = questions(course, unit), LIVE.get(unit, MICROSCOPE)
    found = []
    worth = [each for each in mistakes if not each.understood]
    for each in sorted(worth, key=lambda m: (m.alone, -m.lost, -len(m.students)))[:TO_SAY]:
        question = asked.get(each.exercise, Question(each.exercise, ""))
        found.append(
            {
                "mistake": each,
                "question": markdown(question.text),
                "typical": "" if each.choice else typical(course, unit, each),
                "picture": Markup(each.picture),  # drawn by the judge, from numbers
                "section": each.section,
                "live": live,
            }
        )
    return found


def typical(course: Course, unit: str, mistake: Misunderstood) -> Markup:
    """The shortest answer with this mistake, without a name."""
    cells = [
        common.answers(course, unit, student).get(mistake.exercise)
        for student in mistake.students[:40]
    ]
    known = [cell for cell in cells if common.source(cell).strip()]
    shortest = min(known, key=lambda cell: len(common.source(cell)), default=None)
    return Markup(code(shortest, None))  # pygments escapes it


@cache
def markdown(text: str) -> Markup:
    """A question of the course as HTML; what could run is taken out of it."""
    from autograder.formgrader_page import safe_markdown

    return Markup(safe_markdown(text).replace("<pre>", '<pre tabindex="0">'))  # it may scroll


def row(course: Course, result: Result, graded: Final | None) -> dict[str, Any]:
    """One student of the heat map."""
    shares, marks = {}, {}
    for cell in result.cells:
        points, waiting = cell.points, graded is None and cell.points is None
        if graded is not None and cell.name in graded.cells:
            found = graded.cells[cell.name]
            points, waiting = found.points, found.waiting
        shares[cell.name] = (
            None
            if waiting or points is None
            else points / cell.max_points
            if cell.max_points
            else 1.0
        )
        marks[cell.name] = {
            "points": points,
            "max": cell.max_points,
            "state": cell.title or brief(cell) or ("by hand" if waiting else ""),
        }
    path = common.feedback_path(course, result.unit, result.student)
    return {
        "student": result.student,
        "score": graded.score if graded is not None else result.score,
        "maximum": graded.points.most if graded is not None else result.max_score,
        "shares": shares,
        "marks": marks,
        "page": f"{result.unit}/{path.name}" if path.is_file() else "",
        "flag": bool(needs_a_person(course, result)),
    }


def brief(cell: CellResult) -> str:
    """Why an answer without a named misconception has not all points."""
    if cell.status == "passed":
        return "right"
    return outside.line(cell.message, 160) if cell.status == "failed" else cell.status


def histogram(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many students lie in each tenth of the points."""
    counts = Counter(
        min(int(BINS * r["score"] / r["maximum"]), BINS - 1) if r["maximum"] else 0 for r in rows
    )
    most = max(counts.values(), default=1)
    return [
        {
            "label": f"{10 * i}–{10 * (i + 1)} %",
            "count": counts[i],
            "height": 100 * counts[i] / most,
        }
        for i in range(BINS)
    ]


def discrimination(everybody: list[Result], name: str) -> float | None:
    """How well an exercise tells the strong from the weak: the correlation of solving it with the
    points in all the others (point-biserial); None where everybody or nobody solved it."""
    solved, rest = [], []
    for result in everybody:
        for cell in result.cells:
            if cell.name == name and cell.points is not None:
                solved.append(float(cell.points >= cell.max_points))
                rest.append(sum(c.points or 0.0 for c in result.cells if c.name != name))
    if len(solved) < FEW or len(set(solved)) < 2 or len(set(rest)) < 2:
        return None
    return correlation(solved, rest)


def by_exercise(course: Course, everybody: list[Result], names: list[str]) -> list[dict[str, Any]]:
    """The exercises, those that most failed first."""
    table = []
    for name in names:
        cells = [
            cell
            for result in everybody
            for cell in result.cells
            if cell.name == name and cell.how != "by hand" and cell.points is not None
        ]
        if not cells:
            continue
        failed = sum(cell.points < cell.max_points for cell in cells if cell.points is not None)
        untouched = sum(cell.status == "not started" for cell in cells)
        table.append(
            {
                "name": name.removeprefix("test_"),
                "title": title(course, everybody[0].unit, name),
                "discrimination": discrimination(everybody, name),
                "unnamed": sum(map(unnamed.is_unnamed, cells)),
                "failed": failed,
                "untouched": untouched,
                "of": len(cells),
                "share": 100 * failed / len(cells),
                "mean": sum(cell.points or 0.0 for cell in cells) / len(cells),
                "maximum": cells[0].max_points,
                "forgeable": any(cell.forgeable for cell in cells),
            }
        )
    return sorted(table, key=lambda entry: -entry["share"])


def misconceptions(course: Course, unit: str, everybody: list[Result]) -> list[Misunderstood]:
    """What the class misunderstood, most frequent first."""
    who: dict[tuple[str, str], list[str]] = defaultdict(list)
    seen: dict[tuple[str, str], CellResult] = {}
    lost: dict[tuple[str, str], float] = defaultdict(float)
    for result in everybody:
        for cell in result.cells:
            if cell.misconception:
                key = (cell.exercise or cell.name, cell.misconception)
                who[key].append(result.student)
                lost[key] += cell.max_points - (cell.points or 0.0)
                seen[key] = cell
    found = [
        Misunderstood(
            key[0],
            seen[key].title,
            key[1],
            seen[key].message,
            tuple(students),
            common.site_link(course, unit, seen[key].section)
            or common.section_link(course, unit, seen[key].section),
            seen[key].section,
            title(course, unit, key[0]),
            lost[key],
            "".join(re.findall(r"<svg\b.*?</svg>", seen[key].html, flags=re.S)),
            seen[key].kind == "choice",
            seen[key].status == "not allowed",
        )
        for key, students in who.items()
    ]
    return sorted(found, key=lambda each: (-len(each.students), each.exercise, each.slug))


def nameless(course: Course, unit: str, everybody: list[Result]) -> list[dict[str, Any]]:
    """Wrong answers without a name, grouped by equal behaviour, with the code of one of each."""
    return [
        {
            "group": group,
            "title": title(course, unit, group.exercise),
            "code": Markup(code({"cell_type": "code", "source": group.code}, None)),
            "said": outside.line(group.said, 300),
        }
        for group in unnamed.groups(course, unit, everybody)
    ]


def days_taken(
    course: Course, unit: str, everybody: list[Result], graded: dict[str, Final]
) -> dict[str, Any] | None:
    """How many days after the release people handed in, all and by exercise those who solved it
    and those who did not; None where release or times are not known."""
    released = course.settings.open.get(unit) if not course.foreign else None
    if released is None:
        return None
    days = {
        student: (final.came.time - released).total_seconds() / 86400
        for student, final in graded.items()
        if final.came.time is not None and final.came.time >= released
    }
    if not days:
        return None
    solved: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for result in everybody:
        for cell in result.cells:
            if result.student in days and cell.points is not None:
                failed = cell.points < cell.max_points
                solved[cell.name.removeprefix("test_")][failed].append(days[result.student])
    by = {name: [median(each) if each else None for each in both] for name, both in solved.items()}
    all_ = sorted(days.values())
    return {
        "known": len(all_),
        "median": median(all_),
        "first": all_[0],
        "last": all_[-1],
        "by": by,
    }


def needs_a_person(course: Course, result: Result) -> dict[str, Any] | None:
    """Why somebody should look at this submission, or None."""
    reasons = [
        f"{title(course, result.unit, note.where)}: {note.message}" for note in result.limits
    ]
    reasons += uncertain([*result.repairs, *result.notes])  # what `autograder grade` lists too
    if result.level < 3:
        reasons.insert(0, not_held(result.level) or f"graded at sandbox level {result.level}")
    shown = outside.lines(reasons, MAX_REASONS)
    return {"student": result.student, "reasons": shown} if shown else None


def alike(course: Course, unit: str, everybody: list[Result]) -> dict[str, Any]:
    """The pairs of students whose answers are most alike, with their answers side by side."""
    if course.foreign:  # what the course itself gave out is not known well enough
        return {"out": [], "usual": [], "chance": 0.0}
    from autograder.pages import similar  # imports torch, by way of the exercises
    from course_utils import exercises
    from course_utils.judging.exercise import Choice

    known = {each.name: each for each in exercises.unit(unit).exercises}
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    kinds: dict[str, str] = {}
    for result in everybody:  # of a notebook at a time: a class with its outputs is too large
        for name, cell in common.answers(course, unit, result.student).items():
            if (cell["metadata"]["nbgrader"] or {}).get("solution"):
                texts[name][result.student] = common.source(cell)
                text = cell.get("cell_type") == "markdown"
                choice = isinstance(known.get(name), Choice)
                kinds[name] = "text" if text else "choice" if choice else "code"
    given = common.given(course, unit)
    asked = []
    for name, answers in texts.items():
        reference = getattr(known.get(name), "reference", None)
        more = [similar.source_of(reference)] if reference is not None else []
        asked.append(similar.Asked(name, kinds[name], (*given, *more), answers))
    ranking = similar.rank(asked)
    return {
        "out": [_side_by_side(course, unit, pair, texts) for pair in ranking.out],
        "usual": [_side_by_side(course, unit, pair, texts) for pair in ranking.usual],
        "chance": ranking.chance,
    }


def _side_by_side(
    course: Course, unit: str, pair: "similar.Pair", texts: dict[str, dict[str, str]]
) -> dict[str, Any]:
    from autograder.pages import similar

    one, two = pair.students
    shared = [
        {
            "title": title(course, unit, each.question),
            "likeness": 100 * each.likeness,
            "others": each.others,
            "both": similar.marked(texts[each.question][one], texts[each.question][two]),
        }
        for each in pair.shared
        if each.bits >= 1
    ]
    return {"students": pair.students, "bits": pair.bits, "shared": shared}


def figures(course: Course) -> dict[str, Any]:
    """The figures of the page for programs.

    Unit -> students, mean, median, exercises, misconceptions.
    """
    found = {}
    for unit in graded_units(course):
        data = summary(course, unit)
        named = [
            {"exercise": m.exercise, "misconception": m.slug, "students": len(m.students)}
            for m in data["misconceptions"]
        ]
        found[unit] = {
            key: data[key] for key in ("students", "mean", "median", "maximum", "exercises")
        } | {"misconceptions": named}
    return {"units": found}
