"""One submission's run: its cells go into a child; if that is lost, a fresh one takes over.

The fresh child runs the earlier cells again, without the one that did the damage, so that every
other cell keeps its points. What a note says is fixed, since students read it: a child that was
shown secret cases must not be able to write them into it.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograder.course import Limits
from autograder.grading.outputs import Outputs
from autograder.grading.results import LimitNote
from autograder.sandbox.orders import AnyChild, ChildDied, LimitHit, OnQuestion, Order, Spent
from autograder.sandbox.wire import WireError

GRACE = 2.0  # seconds that a child gets beyond a limit which it should keep by itself
RESTARTS = 20  # of one submission's process
OFTEN = f"its process had to be started again more than {RESTARTS} times"
LATE = "the time for the whole submission was used up"
NO_DATA = "the process answered with something that is not data"
UNSEEN = {  # as nbgrader says it
    "output_type": "error",
    "ename": "Error",
    "evalue": "",
    "traceback": ["ERROR: An error occurred while showtraceback was disabled"],
}
SYMPTOMS = {  # errors by which a student's own code learns of a limit before anybody is killed
    "MemoryError": "memory_mb",
    "can't allocate memory": "memory_mb",
    "No space left on device": "disk_mb",
    "File too large": "disk_mb",
    "can't start new thread": "processes",
    "Resource temporarily unavailable": "processes",
}
HITS = {  # what is then said of it
    "memory_mb": "there was no memory left for it",
    "disk_mb": "there was no disk space left for it",
    "processes": "no further process or thread could be started",
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
    tampered: tuple[str, ...] = ()  # what a test found changed in the interpreter


@dataclass
class Session:
    """Runs cells and orders for one submission, within its limits."""

    launch: Callable[[], AnyChild]
    limits: Limits
    files: list[tuple[str, bytes]] = field(default_factory=list)
    child: AnyChild | None = None
    done: list[str] = field(default_factory=list)  # cells that a fresh child must run again
    notes: list[LimitNote] = field(default_factory=list)
    displays: dict[str, dict[str, Any]] = field(default_factory=dict)
    report: Spent = field(default_factory=Spent)
    used: float = 0.0  # seconds, by the children's watches, and for starting them again
    starts: int = 0

    @property
    def left(self) -> float:
        return self.limits.submission_seconds - self.used

    def run(
        self,
        where: str,
        code: str,
        test: dict[str, Any] | None = None,
        seconds: float = math.inf,
    ) -> Ran:
        """Run a cell, for at most so many seconds; whatever happens, the session can go on.

        A `test` names what it imports and uses; the interpreter is put right before it runs.
        """
        seconds = min(seconds, self.limits.cell_seconds)
        outputs = Outputs(self.displays)
        fields = {"code": code} if test is None else {"code": code, "test": test}
        try:
            answer = self._order(where, seconds, "cell_seconds", "cell", fields, outputs.add)[0]
        except Stopped as stopped:
            return Ran(outputs.finished(), None, stopped.note)
        count = answer.get("count")
        ran = Ran(
            outputs.finished(), count if type(count) is int and 0 <= count < 1 << 31 else None
        )
        said = answer.get("tampered")
        ran.tampered = tuple(str(each)[:100] for each in said[:20]) if type(said) is list else ()
        errors = [output for output in ran.outputs if output["output_type"] == "error"]
        for output in errors:
            self.suspect(where, f"{output['ename']}: {output['evalue']}")
        if answer.get("done") is False and not errors and "interrupted" not in answer:
            ran.outputs.append(dict(UNSEEN))
        if "interrupted" in answer:
            ran.stopped = LimitNote(
                "cell_seconds", where, str(answer["interrupted"]), answer["idle"]
            )
            self.notes.append(ran.stopped)
        else:
            self.done.append(code)
        return ran

    def ask(
        self,
        where: str,
        op: str,
        seconds: float,
        fields: dict[str, Any],
        buffers: list[bytes] | None = None,
        on_question: OnQuestion | None = None,
    ) -> tuple[dict[str, Any], bytearray]:
        """Give any other order; raises Stopped."""
        more = (None, buffers, on_question)
        return self._order(where, seconds + GRACE, "cell_seconds", op, fields, *more)

    def suspect(self, where: str, error: str) -> None:
        """Note the limit behind an error of the student's own code, if it is one."""
        found = next((limit for symptom, limit in SYMPTOMS.items() if symptom in error[:500]), None)
        if found is not None and not any(
            (note.limit, note.where) == (found, where) for note in self.notes
        ):
            self.notes.append(LimitNote(found, where, HITS[found]))

    def stop(self, where: str, limit: str, message: str, idle: bool = False) -> Stopped:
        """Note that the child is not to be used any further."""
        note = LimitNote(limit, where, message, idle)
        self.notes.append(note)
        self._end_child()
        return Stopped(note)

    def close(self) -> None:
        self._end_child()

    def _order(
        self,
        where: str,
        seconds: float,
        limit: str,
        op: str,
        fields: dict[str, Any],
        on_output: Any,
        buffers: list[bytes] | None = None,
        on_question: OnQuestion | None = None,
    ) -> tuple[dict[str, Any], bytearray]:
        child = self._living(where)
        left = self.left
        if left <= 0:
            raise self.stop(where, "submission_seconds", LATE)
        allowed = (
            Order(seconds, limit, polite=op == "cell")
            if seconds <= left
            else Order(left, "submission_seconds")
        )
        try:
            return self._timed(child, op, allowed, fields, on_output, buffers, on_question)
        except LimitHit as hit:
            raise self.stop(
                where, hit.limit, LATE if hit.limit == "submission_seconds" else str(hit), hit.idle
            ) from None
        except ChildDied as died:
            raise self.stop(where, "crash", str(died)) from None
        except WireError:
            raise self.stop(where, "crash", NO_DATA) from None

    def _timed(self, child: AnyChild, *order: Any) -> tuple[dict[str, Any], bytearray]:
        try:
            return child.order(*order)
        finally:
            self.used += child.watch.used()

    def _living(self, where: str) -> AnyChild:
        """The child, or a fresh one in which the earlier cells have run."""
        while self.child is None:
            if self.left <= 0:
                raise self.stop(where, "submission_seconds", LATE)
            if self.starts > RESTARTS:
                raise self.stop(where, "crash", OFTEN)
            self.child = self.launch()
            self.used += self.child.start_seconds if self.starts else 0.0
            self.starts += 1
            replayed = 0
            try:
                if self.files:
                    names = [[name, len(content)] for name, content in self.files]
                    contents = [content for _, content in self.files]
                    self._timed(
                        self.child,
                        "files",
                        Order(self.limits.cell_seconds),
                        {"files": names},
                        None,
                        contents,
                    )
                for code in self.done:
                    self._timed(
                        self.child,
                        "cell",
                        Order(max(min(self.limits.cell_seconds, self.left), 0.01)),
                        {"code": code},
                    )
                    replayed += 1
            except (LimitHit, ChildDied, WireError):
                self._end_child()
                if replayed < len(self.done):
                    del self.done[replayed]  # it went well the first time: do without it
        return self.child

    def _end_child(self) -> None:
        if self.child is not None:
            began = time.monotonic()
            used = self.child.close()
            self.used += time.monotonic() - began
            self.report.cpu_seconds += used.cpu_seconds
            self.report.peak_mb = max(self.report.peak_mb, used.peak_mb)
            self.child = None
