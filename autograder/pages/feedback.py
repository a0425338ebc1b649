"""One page per submission: what was right, what was misunderstood, and where to read again."""

import ast
import glob
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder import files
from autograder.collecting.repair import CHECK
from autograder.course import Course
from autograder.errors import NothingGraded, UserError
from autograder.grading import results
from autograder.grading.results import CellResult, Result
from autograder.pages import common, over_time
from autograder.points import changes
from autograder.points.facts import Ledger
from autograder.points.finals import Final, finals
from autograder.sandbox.levels import not_held
from autograder.titles import title

LONG = 20_000  # characters of code or output that a page shows
PARALLEL = 60  # pages from which a pool pays


def build(
    course: Course,
    unit: str,
    student: str | None = None,
    advance: Callable[[], None] = lambda: None,
) -> list[Path]:
    """Write the pages of all graded submissions of a unit."""
    everybody = sorted(p.stem for p in (course.root / "runs" / "results" / unit).glob("*.json"))
    if student is not None and student not in everybody:
        raise UserError(
            f"{student} is not graded in {unit}: run `autograder grade {course.typed(unit)}` first"
        )
    chosen = [student] if student is not None else everybody
    if not chosen:
        raise NothingGraded(
            f"nobody is graded in {unit}: run `autograder grade {course.typed(unit)}` first"
        )
    graded, people = finals(course, unit), Ledger(course).people
    work = partial(_page, course.root, unit)
    jobs = [(each, graded.get(each), people.name(each)) for each in chosen]
    paths = []
    if len(jobs) < PARALLEL:
        for job in jobs:
            paths.append(work(job))
            advance()
    else:
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            for path in pool.map(work, jobs, chunksize=8):
                paths.append(path)
                advance()
    return [path for path in paths if path is not None]


def _page(root: Path, unit: str, job: tuple[str, Final | None, str]) -> Path | None:
    student, graded, name = job
    course = Course.find(root)
    result = results.read(root, unit, student)
    if result is None:
        return None
    path = common.feedback_path(course, unit, student)
    files.write_whole(path, render(course, result, graded, name))
    return path


def render(course: Course, result: Result, graded: Final | None, name: str = "") -> str:
    """The page as text; whatever comes from the submission is escaped by the template or by
    pygments.
    """
    cells = common.answers(course, result.unit, result.student)
    entries = [entry(course, result, cell, cells, graded) for cell in result.cells]
    todo = [e for e in entries if e["state"] not in ("right", "waits for a person")]
    for each in todo if not course.foreign else []:  # elsewhere an answer has no name
        each["earlier"] = [e for e in todo if e is not each and uses(cells, each, e)]
    score = graded.score if graded is not None else result.score
    maximum = graded.points.most if graded is not None else result.max_score
    return (
        common.templates()
        .get_template("feedback.html")
        .render(
            course=course.settings.title,
            unit=course.unit(result.unit),
            result=result,
            name=name,
            next=sorted(todo, key=usefulness),
            right=[e for e in entries if e["state"] == "right"],
            titles={each: e["title"] for e in entries for each in (e["name"], e["cell"].name)},
            score=score,
            maximum=maximum,
            earned=graded.points.earned if graded is not None else 0.0,
            penalty=graded.points.off if graded is not None else 0.0,
            reason=graded.reason if graded is not None else "",
            handed_in=came(graded) if graded is not None else "",
            change=changes.of(course, result.unit, result.student),
            repairs=[note.removeprefix(CHECK) for note in result.repairs],
            notes=[note for note in result.notes if not note.startswith(CHECK)],
            waiting=[e for e in entries if e["waiting"]],
            style=common.asset("page.css") + code_style(),
            policy=common.policy(),
            not_held=not_held(result.level),
            graded_at=result.graded_at.replace("T", " ").replace("+00:00", " UTC"),
            walls="" if result.level == 3 else f" at sandbox level {result.level}",
            judged=not course.foreign,
            over=over_the_course(course, result.student),
        )
    )


def over_the_course(course: Course, student: str) -> str:
    """The link to the student's page over all units, once there are several."""
    graded = list((course.root / "runs" / "results").glob(f"*/{glob.escape(student)}.json"))
    several = len(graded) >= over_time.LEAST
    return f"../course/{common.course_path(course, student).name}" if several else ""


def came(graded: Final) -> str:
    """When it was handed in; by which file of the grader that is known is nothing for students."""
    return graded.came.words.removesuffix(" (timestamp.txt)")


def usefulness(entry: dict[str, Any]) -> tuple[bool, int, bool, float]:
    """What to look at first: mistakes that have a name, then others, then what is not begun; what
    builds on another mistake comes after it; of these, where most points can be gained."""
    unnamed, untouched = not entry["cell"].misconception, entry["state"] == "not started"
    return (untouched, len(entry["earlier"]), unnamed, -entry["gain"])


def uses(cells: dict[str, dict[str, Any]], entry: dict[str, Any], other: dict[str, Any]) -> bool:
    """Does the code of one answer use another one?"""
    from course_utils.judging import syntax  # its package imports torch

    tree = syntax.parse(common.source(cells.get(entry["name"])))
    names = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)} if tree else set()
    return other["name"] in names


def entry(
    course: Course,
    result: Result,
    cell: CellResult,
    cells: dict[str, dict[str, Any]],
    graded: Final | None,
) -> dict[str, Any]:
    """Everything that the page shows about one graded cell."""
    answer = cell.answer or cell.name.removeprefix("test_")
    points, waiting = cell.points, cell.how == "by hand"
    if graded is not None and cell.name in graded.cells:
        found = graded.cells[cell.name]
        points, waiting = found.points, found.waiting
    comments = [
        graded.comments[name]
        for name in dict.fromkeys((answer, cell.name))
        if graded is not None and name in graded.comments
    ]
    return {
        "cell": cell,
        "name": answer,
        "title": title(course, result.unit, answer),
        "gain": max(0.0, cell.max_points - (points or 0.0)),
        "earlier": [],
        "how": how_points_came(cell),
        "kept": kept(cell, points),
        "points": None if waiting else points,
        "waiting": waiting,
        "state": state(cell, points, waiting),
        "comments": comments,
        "site": common.site_link(course, result.unit, cell.section) if cell.section else "",
        "link": common.section_link(course, result.unit, cell.section) if cell.section else "",
        "code": code(cells.get(answer), cell.line),
        "written": common.source(cells.get(answer))[:LONG] if cell.how == "by hand" else "",
        "output": printed(cells.get(answer)),
        "limits": [note for note in result.limits if note.where in (answer, cell.name)],
    }


def kept(cell: CellResult, points: float | None) -> str:
    """What to say where somebody has more points than the grader gives now."""
    if cell.how == "by hand" or points is None or points <= (cell.points or 0.0) + 1e-9:
        return ""
    given = f"the grader alone would give {cell.points or 0:g}"
    return f"You have {points:g} points here; {given}. They stay, or a person gave them."


def how_points_came(cell: CellResult) -> str:
    """How the points of a judged answer came about, in one line."""
    groups: dict[str, list[bool]] = {}
    for case in cell.cases:
        groups.setdefault(case.group, []).append(case.passed)
    if cell.kind == "choice" or not groups or cell.status == "not allowed":
        return ""
    words = {"basic": "basic cases", "edge": "edge cases", "property": "properties"}
    said = [f"{sum(all_)} of {len(all_)} {words.get(g, g)}" for g, all_ in groups.items()]
    return f"How the points came about: {', '.join(said)} pass, hidden ones included."


def state(cell: CellResult, points: float | None, waiting: bool) -> str:
    if waiting:
        return "waits for a person"
    if cell.status in ("not started", "not allowed"):
        return cell.status
    return (
        "right"
        if points is not None and points >= cell.max_points
        else "partly right"
        if points
        else "not right yet"
    )


def code(cell: dict[str, Any] | None, line: int | None) -> str:
    """The answer in colour, with the line that failed marked."""
    text = common.source(cell)[:LONG]
    if cell is None or cell.get("cell_type") != "code" or not text.strip():
        return ""
    return highlight(text.rstrip(), PythonLexer(stripnl=False), _formatter(line))


@lru_cache
def _formatter(line: int | None) -> Any:
    return HtmlFormatter(hl_lines=[line] if line else [])


@lru_cache
def code_style() -> str:
    """The colours of code by day and by night."""
    day, night = (
        HtmlFormatter(style=name).get_style_defs(".code .highlight")
        for name in ("default", "github-dark")
    )
    return f"{day}\n@media screen and (prefers-color-scheme: dark) {{ {night} }}"


def printed(cell: dict[str, Any] | None) -> str:
    """What the answer cell printed or raised, as plain text."""
    parts = []
    for output in (cell or {}).get("outputs", []):
        if output.get("output_type") == "stream":
            parts.append("".join(output.get("text", "")))
        elif output.get("output_type") == "error":
            parts.append(f"{output.get('ename')}: {output.get('evalue')}")
    return "\n".join(parts)[:4000]
