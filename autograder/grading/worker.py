"""Grades one submission: bytes in, bytes out; the same in a local pool and on a cluster."""

import atexit
import gc
import importlib
import itertools
import json
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, BinaryIO

import msgspec

from autograder import outside
from autograder.any_course import preloads
from autograder.collecting.repair import Unreadable
from autograder.course import Limits
from autograder.errors import UserError
from autograder.grading import prepare
from autograder.grading.launch import (
    Launcher,
    Sandbox,
    code_that_runs,
    open_sandbox,
    words_added,
)
from autograder.grading.messages import DONE, REFUSED, get, put
from autograder.grading.prepare import Template
from autograder.grading.results import CellResult, LimitNote, Result
from autograder.grading.session import Session
from autograder.grading.version import grader_version
from autograder.sandbox.levels import not_held
from autograder.sandbox.limits import limit_own_memory
from autograder.sandbox.orders import SandboxError, Spent

SANDBOXES = 2  # warm processes that a worker of a cluster keeps, one per unit
MEMORY = 2048  # megabytes that a worker may need beyond what it has when it starts
MAX_REPAIRS, MAX_LIMITS = 100, 50  # notes that a result holds
_limited = False  # this process has imported what it needs, and may not grow much any more
_launchers: dict[str, Launcher] = {}
_sandboxes: dict[str, Sandbox] = {}


@dataclass(frozen=True)
class Sheet:
    """A notebook of the unit, and what a student made of it; None if it was not handed in."""

    template: Template
    notebook: bytes | None


@dataclass(frozen=True)
class Job:
    """One submission with everything that is needed to grade it."""

    student: str
    unit: str
    sheets: tuple[Sheet, ...]
    files: tuple[tuple[str, bytes], ...]
    seed: str
    limits: Limits
    min_level: int
    fingerprint: str
    timestamp: str | None = None
    notes: tuple[str, ...] = ()
    grader: str = ""  # version of the code that shall decide
    rules: str | None = None  # of nbgrader, for a course with asserts; None: exercises are judged

    def to_bytes(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Job":
        return msgspec.msgpack.decode(data, type=cls)


@dataclass(frozen=True)
class Answer:
    """What came of a job: a result and the executed notebooks, or the reason why there is none."""

    student: str
    result: Result | None = None
    notebooks: tuple[bytes, ...] = ()  # one per sheet; empty: it was not handed in
    problem: str = ""

    @property
    def limits(self) -> tuple[LimitNote, ...]:
        return self.result.limits if self.result is not None else ()

    def to_bytes(self) -> bytes:
        return msgspec.msgpack.encode(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Answer":
        return msgspec.msgpack.decode(data, type=cls)


def settle(unit: str, launcher: Launcher) -> None:
    """Tell this process where submissions of a unit run, and to end with its parent."""
    _limit()
    warnings.simplefilter("ignore")  # of what answers and wrong variants compute, on no terminal
    _launchers[unit] = launcher
    threading.Thread(target=_end_with_parent, daemon=True).start()


def import_judge(asserts: bool) -> None:
    """Import what decides about a submission; only this package's own exercises need torch."""
    gc.disable()  # what is imported stays
    try:
        importlib.import_module(f"autograder.grading.{'asserts' if asserts else 'judging'}")
    finally:
        gc.enable()


def _limit() -> None:
    global _limited
    if not _limited:
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(1)
        limit_own_memory(MEMORY)
        _limited = True


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def serve(reader: BinaryIO, writer: BinaryIO) -> None:
    """Answer requests until whoever asks is gone."""
    while True:
        try:
            _, request = get(reader)
            try:
                put(writer, DONE, grade(request))
            except UserError as error:
                put(writer, REFUSED, str(error).encode())
        except (EOFError, BrokenPipeError, KeyboardInterrupt):
            return


def grade(request: bytes) -> bytes:
    """Grade one submission; UserError if that must not be done here."""
    job = Job.from_bytes(request)
    try:
        return _grade(job).to_bytes()
    except Unreadable as error:
        return Answer(job.student, problem=outside.line(str(error))).to_bytes()
    except SandboxError as error:
        problem = f"the sandbox failed: {error}"
        return Answer(job.student, problem=outside.line(problem)).to_bytes()
    except UserError:
        raise
    except Exception as error:
        problem = f"the grader failed: {type(error).__name__}: {error}"
        return Answer(job.student, problem=outside.line(problem)).to_bytes()


def _grade(job: Job) -> Answer:
    import_judge(asserts=job.rules is not None)
    _limit()
    used, began = time.process_time(), time.perf_counter()
    judge = _judged if job.rules is None else _asserted
    launcher = _launcher(job)
    whole = Graded([], {}, [], [])
    for sheet in job.sheets:
        with whole.session(job, launcher) as session:
            judge(job, sheet, session, whole)
    result = Result(
        job.student,
        job.unit,
        job.fingerprint,
        launcher.level,
        cells=tuple(whole.cells),
        limits=tuple(whole.limits[:MAX_LIMITS]),
        repairs=tuple(outside.lines(whole.repairs, MAX_REPAIRS)),
        notes=job.notes,
        comments=_with_level(whole.comments, launcher.level),
        timestamp=job.timestamp,
        seconds=round(time.perf_counter() - began, 4),
        cpu_seconds=round(whole.spent.cpu_seconds, 4),
        memory_mb=round(whole.spent.peak_mb, 1),
        judge_seconds=round(time.process_time() - used, 4),
        graded_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    problem = outside.line("; ".join(whole.problems))
    return Answer(job.student, result, tuple(whole.notebooks), problem)


@dataclass
class Graded:
    """What came of the notebooks of a submission, one after the other."""

    cells: list[CellResult]
    comments: dict[str, str | None]
    repairs: list[str]
    problems: list[str]
    notebooks: list[bytes] = field(default_factory=list)
    limits: list[LimitNote] = field(default_factory=list)
    spent: Spent = field(default_factory=Spent)
    used: float = 0.0  # seconds of the time for all of them

    @contextmanager
    def session(self, job: Job, launcher: Launcher) -> Iterator[Session]:
        """A fresh process for one notebook, as a fresh kernel in nbgrader; limits are for all."""
        session = Session(
            lambda: launcher.launch(job.limits), job.limits, list(job.files), used=self.used
        )
        try:
            yield session
        finally:
            session.close()
        self.used = session.used
        self.limits += session.notes
        self.spent.cpu_seconds += session.report.cpu_seconds
        self.spent.peak_mb = max(self.spent.peak_mb, session.report.peak_mb)


def _judged(job: Job, sheet: Sheet, session: Session, whole: Graded) -> None:
    """The exercises of this package: judged from outside."""
    from autograder.grading import judging
    from course_utils import exercises

    prepared = prepare.prepare(sheet.notebook or b"", sheet.template)
    unit = exercises.unit(job.unit)
    graded = judging.grade_cells(prepared.cells, unit, job.seed, session)
    whole.cells += graded.results
    whole.comments |= graded.comments
    whole.repairs += prepared.repairs
    whole.problems += graded.problems
    whole.notebooks.append(_notebook(graded.cells, sheet.template))


def _asserted(job: Job, sheet: Sheet, session: Session, whole: Graded) -> None:
    """Any other course: its asserts run where the answers are."""
    from autograder.grading import asserts

    graded = asserts.grade(sheet.notebook, sheet.template, job.unit, job.rules or "{}", session)
    whole.cells += graded.results
    whole.comments |= graded.comments
    whole.repairs += graded.repairs
    whole.problems += graded.problems
    whole.notebooks.append(graded.notebook)


def _with_level(comments: dict[str, str | None], level: int) -> dict[str, str | None]:
    """What low walls do not hold stands in the gradebook too, below each comment."""
    line = not_held(level)
    return {
        name: f"{text}\n{line}" if text is not None and line else text
        for name, text in comments.items()
    }


def _notebook(cells: list[dict[str, Any]], template: Template) -> bytes:
    notebook = {
        "cells": cells,
        "metadata": prepare.metadata_of(template),
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False).encode("utf-8", "replace")


def _launcher(job: Job) -> Launcher:
    """Where this process runs submissions of the unit.

    Told by the coordinator, or its own (on a cluster).
    """
    if job.unit in _launchers:
        return _launchers[job.unit]
    if job.grader != (own := _version(job)):
        raise UserError(
            f"this machine has another version of the course ({own}) than the coordinator "
            f"({job.grader}): install the same"
        )
    sandbox = _sandboxes.pop(job.unit, None)
    if sandbox is not None and sandbox.launcher.level < job.min_level:
        sandbox.close()
        sandbox = None
    if sandbox is None:
        released = [sheet.template.release for sheet in job.sheets]
        added = (words_added(s.template.release, s.notebook or b"") for s in job.sheets)
        sandbox, _ = open_sandbox(
            job.unit,
            job.min_level,
            "\n".join([code_that_runs(released), *itertools.chain(*added)]),
            modules=warmed(tuple(sheet.template for sheet in job.sheets), job.files)
            if job.rules is not None
            else None,
        )
        atexit.register(sandbox.close)
    _sandboxes[job.unit] = sandbox  # last in line
    while len(_sandboxes) > SANDBOXES:
        _sandboxes.pop(next(iter(_sandboxes))).close()
    return sandbox.launcher


def _version(job: Job) -> str:
    return grader_version(job.unit if job.rules is None else None)


def warmed(
    templates: tuple[Template, ...], files: tuple[tuple[str, bytes], ...]
) -> tuple[str, ...]:
    """What the warm process imports for an assignment of any course."""
    sources = [
        source
        for template in templates
        for source in (
            *(cell.source for cell in template.cells if cell.cell_type == "code"),
            *prepare.code_of(template.release),
        )
    ]
    return preloads(sources, [name for name, _ in files])


def main(arguments: list[str]) -> None:
    """A worker of its own: requests come by standard input, answers go out by what was standard
    output.
    """
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the answers
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    if arguments:
        unit, address, level, view = arguments
        _launchers[unit] = Launcher(address, int(level), view)
    serve(reader, writer)


if __name__ == "__main__":
    from autograder.grading import (
        worker,  # this file as the module that it is: what it keeps must not exist twice
    )

    worker.main(sys.argv[1:])
