"""One page per submission: what was right, what was misunderstood, and where to read again."""

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from autograder.course import Course
from autograder.errors import UserError
from autograder.grading import results
from autograder.grading.results import CellResult, Result
from autograder.pages import common

LONG = 20_000  # characters of code or output that a page shows
PARALLEL = 60  # pages from which a pool pays


@dataclass(frozen=True)
class Graded:
    """What the gradebook says about a submission: final points and what a person wrote."""

    score: float
    max_score: float
    late_penalty: float
    cells: dict[str, tuple[float | None, bool]]  # grade id -> (points, still to be graded by hand)
    comments: dict[str, str]  # grade id -> a person's comment


def build(course: Course, unit: str, student: str | None = None, advance: Callable[[], None] = lambda: None) -> list[Path]:
    """Write the pages of all graded submissions of a unit."""
    everybody = sorted(p.stem for p in (course.root / "runs" / "results" / unit).glob("*.json"))
    if student is not None and student not in everybody:
        raise UserError(f"{student} is not graded in {unit}: run `autograder grade {unit[:2]}` first")
    chosen = [student] if student is not None else everybody
    if not chosen:
        raise UserError(f"nobody is graded in {unit}: run `autograder grade {unit[:2]}` first")
    graded = from_gradebook(course, unit)
    work = partial(_page, course.root, unit)
    jobs = [(each, graded.get(each)) for each in chosen]
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


def _page(root: Path, unit: str, job: tuple[str, Graded | None]) -> Path | None:
    student, graded = job
    course = Course(root)
    result = results.read(root, unit, student)
    if result is None:
        return None
    path = common.feedback_path(course, unit, student)
    common.write(path, render(course, result, graded))
    return path


def render(course: Course, result: Result, graded: Graded | None) -> str:
    """The page as text; whatever comes from the submission is escaped by the template or by pygments."""
    cells = common.answers(course, result.unit, result.student)
    entries = [entry(course, result, cell, cells, graded) for cell in result.cells]
    score = graded.score if graded is not None else result.score
    maximum = graded.max_score if graded is not None else result.max_score
    return (
        common.templates()
        .get_template("feedback.html")
        .render(
            course=course.settings.title,
            unit=course.unit(result.unit),
            result=result,
            entries=entries,
            score=score,
            maximum=maximum,
            penalty=graded.late_penalty if graded is not None else 0.0,
            waiting=[e for e in entries if e["waiting"]],
            style=common.asset("page.css") + code_style(),
            policy=common.policy(),
        )
    )


def entry(course: Course, result: Result, cell: CellResult, cells: dict[str, dict[str, Any]], graded: Graded | None) -> dict[str, Any]:
    """Everything that the page shows about one graded cell."""
    answer = cell.name.removeprefix("test_")
    points, waiting = cell.points, cell.how == "by hand"
    if graded is not None and cell.name in graded.cells:
        points, waiting = graded.cells[cell.name]
    comments = [graded.comments[name] for name in dict.fromkeys((answer, cell.name)) if graded is not None and name in graded.comments]
    return {
        "cell": cell,
        "name": answer,
        "points": None if waiting else points,
        "waiting": waiting,
        "state": state(cell, points, waiting),
        "comments": comments,
        "link": common.section_link(course, result.unit, cell.section) if cell.section else "",
        "code": code(cells.get(answer), cell.line),
        "written": common.source(cells.get(answer))[:LONG] if cell.how == "by hand" else "",
        "output": printed(cells.get(answer)),
        "limits": [note for note in result.limits if note.where in (answer, cell.name)],
    }


def state(cell: CellResult, points: float | None, waiting: bool) -> str:
    if waiting:
        return "waits for a person"
    if cell.status in ("not started", "not allowed"):
        return cell.status
    return "right" if points is not None and points >= cell.max_points else "partly right" if points else "not right yet"


def code(cell: dict[str, Any] | None, line: int | None) -> str:
    """The answer in colour, with the line that failed marked."""
    text = common.source(cell)[:LONG]
    if cell is None or cell.get("cell_type") != "code" or not text.strip():
        return ""
    return highlight(text.rstrip(), PythonLexer(stripnl=False), HtmlFormatter(hl_lines=[line] if line else []))


def code_style() -> str:
    """The colours of code by day and by night."""
    day, night = (HtmlFormatter(style=name).get_style_defs(".code .highlight") for name in ("default", "github-dark"))
    return f"{day}\n@media (prefers-color-scheme: dark) {{ {night} }}"


def printed(cell: dict[str, Any] | None) -> str:
    """What the answer cell printed or raised, as plain text."""
    parts = []
    for output in (cell or {}).get("outputs", []):
        if output.get("output_type") == "stream":
            parts.append("".join(output.get("text", "")))
        elif output.get("output_type") == "error":
            parts.append(f"{output.get('ename')}: {output.get('evalue')}")
    return "\n".join(parts)[:4000]


def from_gradebook(course: Course, unit: str) -> dict[str, Graded]:
    """Student -> what the gradebook says, in one go."""
    from autograder.gradebook import api, opened

    found = {}
    with opened(course) as gradebook:
        try:
            submissions = gradebook.assignment_submissions(unit)
        except api.MissingEntry:
            return {}
        for submission in submissions:
            cells, comments = {}, {}
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    cells[grade.name] = (grade.score, bool(grade.needs_manual_grade))
                for comment in notebook.comments:
                    if comment.manual_comment:
                        comments[comment.name] = comment.manual_comment
            penalty = submission.late_submission_penalty
            found[submission.student_id] = Graded(submission.score - penalty, submission.max_score, penalty, cells, comments)
    return found
