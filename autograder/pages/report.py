"""One page for the instructor: how the class did, what it misunderstood, and which submissions need a person."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.errors import UserError
from autograder.grading import results
from autograder.grading.results import CellResult, Result
from autograder.pages import common, feedback, similar
from course_utils import exercises
from course_utils.exercise import Choice

BINS = 10


@dataclass(frozen=True)
class Misunderstood:
    """A misconception and who has it."""

    exercise: str
    title: str
    slug: str
    hint: str
    students: tuple[str, ...]
    link: str


def build(course: Course) -> Path:
    """Write pages/report.html from everything that is graded."""
    units = graded_units(course)
    script = common.asset("report.js")
    page = (
        common.templates()
        .get_template("report.html")
        .render(
            course=course.settings.title,
            units=[summary(course, unit) for unit in units],
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            style=common.asset("page.css") + common.asset("report.css"),
            script=script,
            policy=common.policy(script),
        )
    )
    path = common.report_path(course)
    common.write(path, page)
    return path


def graded_units(course: Course) -> list[str]:
    folders = sorted(p for p in (course.root / "runs" / "results").glob("*") if p.is_dir())
    units = [folder.name for folder in folders if any(folder.glob("*.json"))]
    if not units:
        raise UserError("nothing is graded yet: run `autograder grade UNIT` first")
    return units


def summary(course: Course, unit: str) -> dict[str, Any]:
    """Everything that the page shows about one unit."""
    found = [results.read(course.root, unit, path.stem) for path in sorted((course.root / "runs" / "results" / unit).glob("*.json"))]
    everybody = [result for result in found if result is not None]
    graded = feedback.from_gradebook(course, unit)
    rows = [row(course, result, graded.get(result.student)) for result in everybody]
    names = list(dict.fromkeys(cell.name for result in everybody for cell in result.cells))
    return {
        "name": unit,
        "title": course.unit(unit).title,
        "rows": rows,
        "names": [name.removeprefix("test_") for name in names],
        "cells": names,
        "students": len(rows),
        "mean": sum(r["score"] for r in rows) / len(rows) if rows else 0.0,
        "median": sorted(r["score"] for r in rows)[len(rows) // 2] if rows else 0.0,
        "maximum": max((r["maximum"] for r in rows), default=0.0),
        "histogram": histogram(rows),
        "exercises": by_exercise(everybody, names),
        "misconceptions": misconceptions(course, unit, everybody),
        "attention": [a for result in everybody if (a := needs_a_person(result))],
        "alike": alike(course, unit, everybody),
    }


def row(course: Course, result: Result, graded: feedback.Graded | None) -> dict[str, Any]:
    """One student of the heat map."""
    shares, marks = {}, {}
    for cell in result.cells:
        points, waiting = graded.cells.get(cell.name, (cell.points, False)) if graded is not None else (cell.points, cell.points is None)
        shares[cell.name] = None if waiting or points is None else points / cell.max_points if cell.max_points else 1.0
        marks[cell.name] = {"points": points, "max": cell.max_points, "state": cell.title or cell.status or ("by hand" if waiting else "")}
    path = common.feedback_path(course, result.unit, result.student)
    return {
        "student": result.student,
        "score": graded.score if graded is not None else result.score,
        "maximum": graded.max_score if graded is not None else result.max_score,
        "shares": shares,
        "marks": marks,
        "page": f"{result.unit}/{path.name}" if path.is_file() else "",
        "flag": bool(needs_a_person(result)),
    }


def histogram(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How many students lie in each tenth of the points."""
    counts = Counter(min(int(BINS * r["score"] / r["maximum"]), BINS - 1) if r["maximum"] else 0 for r in rows)
    most = max(counts.values(), default=1)
    return [{"label": f"{10 * i}–{10 * (i + 1)} %", "count": counts[i], "height": 100 * counts[i] / most} for i in range(BINS)]


def by_exercise(everybody: list[Result], names: list[str]) -> list[dict[str, Any]]:
    """The exercises, those that most failed first."""
    table = []
    for name in names:
        cells = [
            cell for result in everybody for cell in result.cells if cell.name == name and cell.how != "by hand" and cell.points is not None
        ]
        if not cells:
            continue
        failed = sum(cell.points < cell.max_points for cell in cells if cell.points is not None)
        untouched = sum(cell.status == "not started" for cell in cells)
        table.append(
            {
                "name": name.removeprefix("test_"),
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
    for result in everybody:
        for cell in result.cells:
            if cell.exercise and cell.misconception:
                key = (cell.exercise, cell.misconception)
                who[key].append(result.student)
                seen[key] = cell
    found = [
        Misunderstood(
            key[0], seen[key].title, key[1], seen[key].message, tuple(students), common.section_link(course, unit, seen[key].section)
        )
        for key, students in who.items()
    ]
    return sorted(found, key=lambda each: (-len(each.students), each.exercise, each.slug))


def needs_a_person(result: Result) -> dict[str, Any] | None:
    """Why somebody should look at this submission, or None."""
    reasons = [f"{note.where}: {note.message}" for note in result.limits] + [*result.repairs, *result.notes]
    if result.level < 3:
        reasons.append(f"graded at sandbox level {result.level}")
    return {"student": result.student, "reasons": reasons} if reasons else None


def alike(course: Course, unit: str, everybody: list[Result]) -> list[similar.Group]:
    """Groups of students whose answers are the same up to names and layout, or copied from the course."""
    cells = {result.student: common.answers(course, unit, result.student) for result in everybody}
    found: list[similar.Group] = []
    for exercise in exercises.unit(unit).exercises:
        if not isinstance(exercise, Choice):
            texts = {student: common.source(mine.get(exercise.name)) for student, mine in cells.items() if exercise.name in mine}
            found += similar.groups(exercise, texts)
    return found


def figures(course: Course) -> dict[str, Any]:
    """The figures of the page for programs: unit -> students, mean, median, exercises, misconceptions."""
    found = {}
    for unit in graded_units(course):
        data = summary(course, unit)
        named = [{"exercise": m.exercise, "misconception": m.slug, "students": len(m.students)} for m in data["misconceptions"]]
        found[unit] = {key: data[key] for key in ("students", "mean", "median", "maximum", "exercises")} | {"misconceptions": named}
    return {"units": found}
