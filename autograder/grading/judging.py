"""Runs a prepared submission and judges it: the course's own tests from outside, an instructor's asserts inside the walls."""

import math
import time
from dataclasses import dataclass, replace
from typing import Any

from autograder.grading.prepare import Cell, SourceCell
from autograder.grading.remote import Requests, outcomes_of
from autograder.grading.results import CaseNote, CellResult
from autograder.grading.session import Session, Stopped
from autograder.sandbox import wire
from autograder.sandbox.wire import WireError
from course_utils import syntax
from course_utils.check import Result as Shown
from course_utils.exercise import Choice, Exercise, Unit
from course_utils.judge import Verdict, judge
from course_utils.play import Case, Failure, Outcome

REQUESTS = Requests()
LIMITS = {  # for the student, by the name in course.toml
    "cell_seconds": "the time for one cell",
    "submission_seconds": "the time for the whole notebook",
    "cpu_seconds": "the processor time",
    "memory_mb": "the memory",
    "processes": "the number of processes",
    "disk_mb": "the disk space",
    "output_kb": "the amount of output",
}


@dataclass
class RemoteAttempt:
    """An answer in the student's process, seen through the wall."""

    session: Session
    name: str
    source: str
    where: str

    def play(self, cases: list[Case], limit: float) -> list[Outcome]:
        nodes, buffers = REQUESTS.encode(cases)
        try:
            header, body = self.session.ask(self.where, "play", limit, {"name": self.name, "cases": nodes, "limit": limit}, buffers)
            outcomes = outcomes_of(header, body, len(cases))
            for outcome in outcomes:
                if outcome.failure is not None:
                    self.session.suspect(self.where, f"{outcome.failure.type}: {outcome.failure.message}")
            return outcomes
        except Stopped as stopped:
            note = stopped.note
        except WireError as error:
            note = self.session.stop(self.where, "crash", f"the answer came back as something that is not data ({error})").note
        failure = Failure("crash" if note.limit == "crash" else "limit", "", told(note.limit, note.message))
        return [Outcome(failure=failure)] * len(cases)

    def value(self) -> Any:
        try:
            header, body = self.session.ask(self.where, "value", 5.0, {"name": self.name})
            value = wire.Decoder(body).decode(header.get("value"))
            return value if value is None or value is ... or isinstance(value, bool | int | float | str) else None
        except Stopped:
            return None
        except WireError:
            return None


def told(limit: str, message: str) -> str:
    return message if limit == "crash" else f"{LIMITS.get(limit, limit)} ({message})"


@dataclass
class Graded:
    """A submission that has run: its cells in the notebook's format, and the graded ones."""

    cells: list[dict[str, Any]]
    results: list[CellResult]
    comments: dict[str, str | None]
    problems: list[str]  # what a person should look at


def grade_cells(cells: list[Cell], unit: Unit, seed: str, session: Session) -> Graded:
    """Run the cells in order; each test is put when its turn comes, as in a kernel."""
    exercises = {f"test_{exercise.name}": exercise for exercise in unit.exercises}
    graded = Graded([], [], {}, [])
    ran: list[str] = []
    for number, cell in enumerate(cells):
        data = cell.as_dict()
        known = cell.known
        where = known.name if known is not None else f"cell {number + 1}"
        exercise = exercises.get(known.name) if known is not None and known.is_test else None
        if known is not None and exercise is not None:
            result, output, problem = _judged(known, exercise, session, ran, cells, seed)
            graded.problems += [problem] if problem else []
            data["outputs"] = [output | {"execution_count": len(ran) + 1}]
            data["execution_count"] = len(ran) + 1
            graded.results.append(result)
            graded.comments[exercise.name] = result.text
        elif cell.cell_type == "code" and cell.source.strip():
            began = time.perf_counter()
            done = session.run(where, cell.source)
            ran.append(cell.source)
            data["outputs"], data["execution_count"] = done.outputs, done.count
            if done.stopped is not None:
                data["outputs"].append(
                    _notice(f"Stopped: {told(done.stopped.limit, done.stopped.message)}. The other cells were run without this one.")
                )
            if known is not None and known.is_test:
                graded.results.append(_asserted(known, data["outputs"], time.perf_counter() - began))
        if known is not None and known.solution:
            if known.grade:
                graded.results.append(_by_hand(known, cell))
            if known.name not in graded.comments:
                graded.comments[known.name] = "No response." if _unchanged(known, cell) else None
        graded.cells.append(data)
    return graded


def _judged(
    known: SourceCell, exercise: Exercise | Choice, session: Session, ran: list[str], cells: list[Cell], seed: str
) -> tuple[CellResult, dict[str, Any], str]:
    began, problem = time.perf_counter(), ""
    own = next((cell.source for cell in cells if cell.known is not None and cell.known.name == exercise.name), "")
    attempt = RemoteAttempt(session, exercise.name, _source(exercise.name, ran, own), known.name)
    try:
        verdict = judge(exercise, attempt, seed)
    except Exception as error:  # data that the judge did not expect: worth nothing, but never the end of a run
        blank = Verdict(exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed")
        verdict = replace(blank, message="What came back could not be compared with what was expected.")
        problem = f"the judge failed at {known.name}, which got no points: {type(error).__name__}: {error}"
    verdict = replace(verdict, max_points=known.points) if verdict.max_points != known.points else verdict
    shown = Shown(verdict)
    text = str(shown)
    html = shown._repr_html_()
    result = CellResult(
        known.name, exercise.name, "judged", shown.points, known.points,
        kind=exercise.kind, section=exercise.section, status=verdict.status, misconception=verdict.misconception,
        title=verdict.title, message=verdict.message, text=text, html=html,
        cases=tuple(CaseNote(c.label, c.group, c.passed, c.visible, c.message) for c in verdict.cases),
        line=verdict.failure.line if verdict.failure is not None else None,
        seconds=round(time.perf_counter() - began, 4),
    )  # fmt: skip
    output = {"output_type": "execute_result", "data": {"text/plain": repr(shown), "text/html": html}, "metadata": {}}
    return result, output, problem


def _source(name: str, ran: list[str], own: str) -> str:
    """The newest cell that binds the name, as `check` finds it in a kernel; else the answer cell."""
    for code in reversed(ran):
        if name in code and (tree := syntax.parse(code)) is not None and syntax.defines(tree, name):
            return code
    return own


def _asserted(known: SourceCell, outputs: list[dict[str, Any]], seconds: float) -> CellResult:
    """nbgrader's rule for a test cell: an error is nothing, a number is partial credit, anything else is everything."""
    points = known.points
    for output in outputs:
        if output["output_type"] == "error" or (output["output_type"] == "stream" and output["name"] == "stderr"):
            points = 0.0
            break
        if output["output_type"] == "execute_result":
            points = _partial(output["data"].get("text/plain", ""), known.points)
            break
    status = "passed" if points >= known.points else "failed"
    return CellResult(known.name, None, "asserted", points, known.points, forgeable=True, status=status, seconds=round(seconds, 4))


def _partial(text: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return most
    return value if math.isfinite(value) and 0 <= value <= most else 0.0


def _by_hand(known: SourceCell, cell: Cell) -> CellResult:
    """A written answer waits for a person; one that was never touched is worth nothing at once, as in nbgrader."""
    points = 0.0 if _unchanged(known, cell) else None
    return CellResult(known.name, None, "by hand", points, known.points, status="not started" if points == 0.0 else "")


def _unchanged(known: SourceCell, cell: Cell) -> bool:
    return cell.source == known.source


def _notice(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stderr", "text": text + "\n"}
