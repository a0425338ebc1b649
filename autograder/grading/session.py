"""One submission's run: cells go into a child one after the other; when a child has to be killed, a fresh one takes over.

The fresh child runs the earlier cells again, without the one that did the damage, so that every other cell keeps its points.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograder.course import Limits
from autograder.grading.outputs import Outputs
from autograder.grading.results import LimitNote
from autograder.sandbox.client import Child, ChildDied, LimitHit, Order, Report
from autograder.sandbox.wire import WireError

GRACE = 2.0  # seconds that a child gets beyond a limit which it should keep by itself
LATE = "the time for the whole submission was used up"
SYMPTOMS = {  # errors by which a student's own code learns of a limit before anybody has to be killed
    "MemoryError": "memory_mb",
    "can't allocate memory": "memory_mb",
    "No space left on device": "disk_mb",
    "File too large": "disk_mb",
    "can't start new thread": "processes",
    "Resource temporarily unavailable": "processes",
}


class Stopped(Exception):
    """An order came to no answer, and the child is gone; `note` says why."""

    def __init__(self, note: LimitNote) -> None:
        super().__init__(note.message)
        self.note = note


@dataclass
class Ran:
    """What came of a cell."""

    outputs: list[dict[str, Any]]
    count: int | None = None
    stopped: LimitNote | None = None


@dataclass
class Session:
    """Runs cells and orders for one submission, within its limits."""

    launch: Callable[[], Child]
    limits: Limits
    files: list[tuple[str, bytes]] = field(default_factory=list)
    child: Child | None = None
    done: list[str] = field(default_factory=list)  # cells that a fresh child must run again
    notes: list[LimitNote] = field(default_factory=list)
    displays: dict[str, dict[str, Any]] = field(default_factory=dict)
    report: Report = field(default_factory=Report)
    used: float = 0.0  # seconds, by the children's watches

    @property
    def left(self) -> float:
        return self.limits.submission_seconds - self.used

    def run(self, where: str, code: str) -> Ran:
        """Run a cell; whatever happens, the session can go on."""
        outputs = Outputs(self.displays)
        try:
            answer = self._order(where, self.limits.cell_seconds, "cell_seconds", "cell", {"code": code}, outputs.add)[0]
        except Stopped as stopped:
            return Ran(outputs.finished(), None, stopped.note)
        count = answer.get("count")
        ran = Ran(outputs.finished(), count if type(count) is int and 0 <= count < 1 << 31 else None)
        for output in ran.outputs:
            if output["output_type"] == "error":
                self.suspect(where, f"{output['ename']}: {output['evalue']}")
        if "interrupted" in answer:
            ran.stopped = LimitNote("cell_seconds", where, str(answer["interrupted"]), answer["idle"])
            self.notes.append(ran.stopped)
        else:
            self.done.append(code)
        return ran

    def ask(
        self, where: str, op: str, seconds: float, fields: dict[str, Any], buffers: list[bytes] | None = None
    ) -> tuple[dict[str, Any], bytearray]:
        """Give any other order; raises Stopped."""
        return self._order(where, seconds + GRACE, "cell_seconds", op, fields, None, buffers)

    def suspect(self, where: str, error: str) -> None:
        """Note the limit behind an error of the student's own code, if it is one."""
        found = next((limit for symptom, limit in SYMPTOMS.items() if symptom in error[:500]), None)
        if found is not None and not any((note.limit, note.where) == (found, where) for note in self.notes):
            self.notes.append(LimitNote(found, where, error[:200]))

    def stop(self, where: str, limit: str, message: str, idle: bool = False) -> Stopped:
        """Note that the child is not to be used any further."""
        note = LimitNote(limit, where, message, idle)
        self.notes.append(note)
        self._end_child()
        return Stopped(note)

    def close(self) -> None:
        self._end_child()

    def _order(
        self, where: str, seconds: float, limit: str, op: str, fields: dict[str, Any], on_output: Any, buffers: list[bytes] | None = None
    ) -> tuple[dict[str, Any], bytearray]:
        child = self._living(where)
        left = self.left
        if left <= 0:
            raise self.stop(where, "submission_seconds", LATE)
        allowed = Order(seconds, limit, polite=op == "cell") if seconds <= left else Order(left, "submission_seconds")
        try:
            return self._timed(child, op, allowed, fields, on_output, buffers)
        except LimitHit as hit:
            raise self.stop(where, hit.limit, LATE if hit.limit == "submission_seconds" else str(hit), hit.idle) from None
        except ChildDied as died:
            raise self.stop(where, "crash", str(died)) from None
        except WireError as error:
            raise self.stop(where, "crash", f"the process answered with something that is not data ({error})") from None

    def _timed(self, child: Child, *order: Any) -> tuple[dict[str, Any], bytearray]:
        try:
            return child.order(*order)
        finally:
            self.used += child.watch.used()

    def _living(self, where: str) -> Child:
        """The child, or a fresh one in which the earlier cells have run."""
        while self.child is None:
            if self.left <= 0:
                raise self.stop(where, "submission_seconds", LATE)
            self.child = self.launch()
            replayed = 0
            try:
                if self.files:
                    names = [[name, len(content)] for name, content in self.files]
                    contents = [content for _, content in self.files]
                    self._timed(self.child, "files", Order(self.limits.cell_seconds), {"files": names}, None, contents)
                for code in self.done:
                    self._timed(self.child, "cell", Order(max(min(self.limits.cell_seconds, self.left), 0.01)), {"code": code})
                    replayed += 1
            except (LimitHit, ChildDied, WireError):
                self._end_child()
                if replayed < len(self.done):
                    del self.done[replayed]  # it went well the first time: do without it
        return self.child

    def _end_child(self) -> None:
        if self.child is not None:
            used = self.child.close()
            self.report.cpu_seconds += used.cpu_seconds
            self.report.peak_mb = max(self.report.peak_mb, used.peak_mb)
            self.child = None
