"""Runs a prepared submission and judges it.

The course's own tests are judged from outside, an instructor's asserts run inside the walls.
"""

import math
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any

from autograder import outside
from autograder.grading.outputs import markdown
from autograder.grading.prepare import Cell, SourceCell
from autograder.grading.rehearsal import seconds_for
from autograder.grading.remote import Requests, outcomes_of, question_of
from autograder.grading.results import CaseResult, CellResult, LimitNote
from autograder.grading.session import NO_DATA, Session, Stopped
from autograder.sandbox import wire
from autograder.sandbox.wire import WireError
from course_utils.check import Result as Shown
from course_utils.judging import syntax
from course_utils.judging.exercise import Choice, Exercise, Unit
from course_utils.judging.judge import Earlier, Verdict, judge
from course_utils.judging.runner import Case, Failure, Outcome, alarm
from course_utils.judging.stand_in import REFUSED, Oracle

REQUESTS = Requests()
ANSWER_CELL = 10.0  # seconds for a cell that only has to define its answer
TOO_LARGE = "the answer is too large to be sent, or holds something that cannot be sent"
MAX_TITLE, MAX_MESSAGE, MAX_CARD, MAX_HTML = 300, 4000, 20_000, 300_000  # characters
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
    oracle: Oracle | None = None
    seconds: float = math.inf  # for all cases of a seed; an exercise's own limit may be less

    def assisted(self, oracle: Oracle) -> "RemoteAttempt":
        if threading.current_thread() is threading.main_thread():
            oracle.watch = alarm  # a thread for each question would take longer than its answer
        return replace(self, oracle=oracle)

    def play(self, cases: list[Case], limit: float, seeds: int = 1) -> list[Outcome]:
        """Put the cases to the answer; questions of stand-ins are answered meanwhile."""
        limit = seeds * min(limit, self.seconds)
        nodes, buffers = REQUESTS.encode(cases)
        fields: dict[str, Any] = {"name": self.name, "cases": nodes, "limit": limit}
        if self.oracle is not None:
            fields["stand_ins"] = self.oracle.wanted
        header: dict[str, Any] = {}
        try:
            answers = self._answer if self.oracle is not None else None
            header, body = self.session.ask(self.where, "play", limit, fields, buffers, answers)
            outcomes = outcomes_of(header, body, cases)
            failures = [each.failure for each in outcomes if each.failure is not None]
            for failure in failures:
                self.session.suspect(self.where, f"{failure.type}: {failure.message}")
            if forged := [failure for failure in failures if failure.kind == "crash"]:
                self.session.notes.append(LimitNote("crash", self.where, forged[0].message))
            return outcomes
        except Stopped as stopped:
            note = stopped.note
        except WireError:
            why = TOO_LARGE if "refused" in header else NO_DATA
            note = self.session.stop(self.where, "crash", why).note
        failure = Failure("crash" if note.limit == "crash" else "limit", "", in_words(note))
        return [Outcome(failure=failure)] * len(cases)

    def _answer(self, node: Any, body: bytearray) -> tuple[Any, list[bytes]]:
        """What a stand-in is told: WireError if its question is none."""
        assert self.oracle is not None
        answer, buffers = self.oracle(question_of(node, body)), list[bytes]()
        try:
            return wire.encode(answer, buffers), buffers
        except WireError as error:
            return wire.encode({"error": (REFUSED, str(error))}, []), []

    def value(self) -> Any:
        try:
            header, body = self.session.ask(self.where, "value", 5.0, {"name": self.name})
            value = wire.Decoder(body).decode(header.get("value"))
            return (
                value
                if value is None or value is ... or isinstance(value, bool | int | float | str)
                else None
            )
        except Stopped:
            return None
        except WireError:
            return None


def in_words(note: LimitNote) -> str:
    """What was hit, for the student."""
    return (
        note.message
        if note.limit == "crash"
        else f"{LIMITS.get(note.limit, note.limit)} ({note.message})"
    )


@dataclass
class GradedNotebook:
    """A submission that has run: its cells in the notebook's format, and the graded ones."""

    cells: list[dict[str, Any]]
    results: list[CellResult]
    comments: dict[str, str | None]
    problems: list[str]  # what a person should look at
    # exercises that are judged already: what is computed with their references gives nothing away
    earlier: list[Earlier] = field(default_factory=list)


def grade_cells(cells: list[Cell], unit: Unit, seed: str, session: Session) -> GradedNotebook:
    """Run the cells in order; each test is put when its turn comes, as in a kernel."""
    exercises = {f"test_{exercise.name}": exercise for exercise in unit.exercises}
    graded = GradedNotebook([], [], {}, [])
    ran: list[str] = []
    for number, cell in enumerate(cells):
        data = cell.as_dict()
        known = cell.known
        where = known.name if known is not None else f"cell {number + 1}"
        exercise = exercises.get(known.name) if known is not None and known.is_test else None
        if known is not None and exercise is not None:
            own = _source(exercise.name, ran, cells)
            most = seconds_for(exercise) if isinstance(exercise, Exercise) else math.inf
            attempt = RemoteAttempt(session, exercise.name, own, known.name, seconds=most)
            output = _judged(graded, known, exercise, attempt, seed)
            data["outputs"] = [output | {"execution_count": len(ran) + 1}]
            data["execution_count"] = len(ran) + 1
        elif cell.cell_type == "code" and cell.source.strip():
            began = time.perf_counter()
            done = session.run(where, cell.source, seconds=_cell_seconds(known, unit))
            ran.append(cell.source)
            data["outputs"], data["execution_count"] = done.outputs, done.count
            if done.stopped is not None:
                data["outputs"].append(_notice(done.stopped))
            if known is not None and known.is_test:
                graded.results.append(
                    _asserted(known, data["outputs"], time.perf_counter() - began)
                )
        elif cell.cell_type == "markdown" and not cell.ours:
            data["source"] = markdown(cell.source)
        if known is not None and known.solution:
            if known.grade:
                graded.results.append(_by_hand(known, cell))
            if known.name not in graded.comments:
                graded.comments[known.name] = "No response." if _unchanged(known, cell) else None
        graded.cells.append(data)
    return graded


def _cell_seconds(known: SourceCell | None, unit: Unit) -> float:
    """An answer cell has to define a function or a class, which takes the solution no time; any
    other cell may compute, and `cell_seconds` alone bounds it."""
    kinds = {exercise.name: exercise.kind for exercise in unit.exercises}
    kind = kinds.get(known.name) if known is not None and known.solution else None
    return ANSWER_CELL if kind in ("function", "module") else math.inf


def _judged(
    graded: GradedNotebook,
    known: SourceCell,
    exercise: Exercise | Choice,
    attempt: RemoteAttempt,
    seed: str,
) -> dict[str, Any]:
    """Judge an answer, note the result, and return what stands below its test cell."""
    began = time.perf_counter()
    try:
        verdict = judge(exercise, attempt, seed, graded.earlier)
    except Exception as error:  # data that the judge did not expect: never the end of a run
        blank = Verdict(
            exercise.name, exercise.kind, exercise.section, 0.0, exercise.points, "failed"
        )
        verdict = replace(
            blank, message="What came back could not be compared with what was expected."
        )
        why = f"{type(error).__name__}: {error}"
        graded.problems.append(f"the judge failed at {known.name}, which got no points: {why}")
    verdict = (
        replace(verdict, max_points=known.points) if verdict.max_points != known.points else verdict
    )
    shown = Shown(verdict)
    html = shown._repr_html_()
    html = outside.valid(html, MAX_HTML) if len(html) <= MAX_HTML else ""
    cases = tuple(
        CaseResult(
            case.label,
            case.group,
            case.passed,
            case.visible,
            outside.valid(case.message, MAX_MESSAGE),
        )
        for case in verdict.cases
    )
    result = CellResult(
        known.name,
        exercise.name,
        "judged",
        shown.points,
        known.points,
        kind=exercise.kind,
        section=verdict.section,
        status=verdict.status,
        misconception=verdict.misconception,
        title=outside.valid(verdict.title, MAX_TITLE),
        message=outside.valid(verdict.message, MAX_MESSAGE),
        text=outside.text(str(shown), MAX_CARD),
        html=html,
        cases=cases,
        line=verdict.failure.line if verdict.failure is not None else None,
        seconds=round(time.perf_counter() - began, 4),
    )
    shapes = {"text/plain": repr(shown)} | ({"text/html": html} if html else {})
    graded.results.append(result)
    graded.comments[exercise.name] = result.text
    if isinstance(exercise, Exercise):
        graded.earlier.append(Earlier(exercise, verdict))
    return {"output_type": "execute_result", "data": shapes, "metadata": {}}


def _source(name: str, ran: list[str], cells: list[Cell]) -> str:
    """The newest cell that binds the name, as `check` finds it in a kernel.

    Else the answer cell.
    """
    for code in reversed(ran):
        if name in code and (tree := syntax.parse(code)) is not None and syntax.defines(tree, name):
            return code
    own = (cell.source for cell in cells if cell.known is not None and cell.known.name == name)
    return next(own, "")


def _asserted(known: SourceCell, outputs: list[dict[str, Any]], seconds: float) -> CellResult:
    """nbgrader's rule: an error is nothing, a number partial credit, anything else everything."""
    points = known.points
    for output in outputs:
        if output["output_type"] == "error" or (
            output["output_type"] == "stream" and output["name"] == "stderr"
        ):
            points = 0.0
            break
        if output["output_type"] == "execute_result":
            points = _partial(output["data"].get("text/plain", ""), known.points)
            break
    status = "passed" if points >= known.points else "failed"
    return CellResult(
        known.name,
        None,
        "asserted",
        points,
        known.points,
        forgeable=True,
        status=status,
        seconds=round(seconds, 4),
    )


def _partial(text: str, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        return most
    return value if math.isfinite(value) and 0 <= value <= most else 0.0


def _by_hand(known: SourceCell, cell: Cell) -> CellResult:
    """A written answer waits for a person; one that was never touched is worth nothing at once."""
    points = 0.0 if _unchanged(known, cell) else None
    return CellResult(
        known.name,
        None,
        "by hand",
        points,
        known.points,
        status="not started" if points == 0.0 else "",
    )


def _unchanged(known: SourceCell, cell: Cell) -> bool:
    return cell.source == known.source


def _notice(note: LimitNote) -> dict[str, Any]:
    text = f"Stopped: {in_words(note)}. The other cells were run without this one.\n"
    return {"output_type": "stream", "name": "stderr", "text": text}
