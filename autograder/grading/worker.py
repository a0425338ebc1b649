"""Grades one submission: bytes in, bytes out, and nothing else. The same function runs in a local pool and on a cluster."""

import atexit
import json
import multiprocessing
import multiprocessing.connection
import os
import sys
import threading
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO

import torch

from autograder.course import Limits
from autograder.errors import UserError
from autograder.grading import judging, prepare
from autograder.grading.frames import DONE, REFUSED, get, put
from autograder.grading.place import Place, Site, open_site
from autograder.grading.prepare import Template
from autograder.grading.results import LimitNote, Result
from autograder.grading.session import Session
from autograder.grading.version import grader_version
from autograder.repair import Unreadable
from autograder.sandbox import wire
from autograder.sandbox.client import SandboxError
from course_utils import exercises

SITES = 2  # warm processes that a worker of a cluster keeps, one per unit
_places: dict[str, Place] = {}
_sites: dict[str, Site] = {}


@dataclass(frozen=True)
class Job:
    """One submission with everything that is needed to grade it."""

    student: str
    unit: str
    notebook: bytes
    files: tuple[tuple[str, bytes], ...]
    template: Template
    seed: str
    limits: Limits
    min_level: int
    fingerprint: str
    timestamp: str | None = None
    notes: tuple[str, ...] = ()
    grader: str = ""  # version of the code that shall decide

    def to_bytes(self) -> bytes:
        header = {
            "student": self.student, "unit": self.unit, "seed": self.seed, "limits": asdict(self.limits), "min_level": self.min_level,
            "fingerprint": self.fingerprint, "timestamp": self.timestamp, "notes": list(self.notes), "template": self.template.as_json,
            "grader": self.grader,
            "files": [[name, len(content)] for name, content in self.files], "notebook": len(self.notebook),
        }  # fmt: skip
        return wire.pack(header, [self.notebook, *(content for _, content in self.files)])

    @classmethod
    def from_bytes(cls, data: bytes) -> "Job":
        header, body = _open(data)
        at = header["notebook"]
        notebook, files = body[:at], []
        for name, length in header["files"]:
            files.append((name, body[at : at + length]))
            at += length
        return cls(
            header["student"], header["unit"], notebook, tuple(files), Template.from_json(header["template"]), header["seed"],
            Limits(**header["limits"]), header["min_level"], header["fingerprint"], header["timestamp"], tuple(header["notes"]),
            header["grader"],
        )  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What came of a job: a result and the executed notebook, or the reason why there is none."""

    student: str
    result: Result | None = None
    notebook: bytes = b""
    problem: str = ""

    @property
    def limits(self) -> tuple[LimitNote, ...]:
        return self.result.limits if self.result is not None else ()

    def to_bytes(self) -> bytes:
        head = {"student": self.student, "problem": self.problem}
        result = self.result.to_json().encode() if self.result is not None else b""
        return wire.pack(head | {"result": len(result)}, [result, self.notebook])

    @classmethod
    def from_bytes(cls, data: bytes) -> "Answer":
        header, body = _open(data)
        cut = header["result"]
        return cls(header["student"], Result.from_json(body[:cut]) if cut else None, body[cut:], header["problem"])


def _open(data: bytes) -> tuple[dict[str, Any], bytes]:
    head, _ = wire.unpack_prefix(data[: wire.PREFIX.size])
    start = wire.PREFIX.size
    return wire.parse_header(data[start : start + head]), data[start + head :]


def settle(unit: str, place: Place) -> None:
    """Tell this process where submissions of a unit run, and to end with the process that started it."""
    torch.set_num_threads(1)
    _places[unit] = place
    threading.Thread(target=_end_with_parent, daemon=True).start()


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
        return Answer(job.student, problem=str(error)).to_bytes()
    except SandboxError as error:
        return Answer(job.student, problem=f"the sandbox failed: {error}").to_bytes()
    except UserError:
        raise
    except Exception as error:
        return Answer(job.student, problem=f"the grader failed: {type(error).__name__}: {error}").to_bytes()


def _grade(job: Job) -> Answer:
    used = time.process_time()
    prepared = prepare.prepare(job.notebook, job.template)
    place = _place(job)
    began = time.perf_counter()
    session = Session(lambda: place.launch(job.limits), job.limits, list(job.files))
    try:
        graded = judging.grade_cells(prepared.cells, exercises.unit(job.unit), job.seed, session)
    finally:
        session.close()
    result = Result(
        job.student,
        job.unit,
        job.fingerprint,
        place.level,
        cells=tuple(graded.results),
        limits=tuple(session.notes),
        repairs=tuple(prepared.repairs),
        notes=job.notes,
        comments=graded.comments,
        timestamp=job.timestamp,
        seconds=round(time.perf_counter() - began, 4),
        cpu_seconds=round(session.report.cpu_seconds, 4),
        memory_mb=round(session.report.peak_mb, 1),
        judge_seconds=round(time.process_time() - used, 4),
        graded_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    notebook = {"cells": graded.cells, "metadata": prepare.metadata_of(job.template), "nbformat": 4, "nbformat_minor": 5}
    return Answer(job.student, result, json.dumps(notebook, ensure_ascii=False).encode("utf-8", "replace"), "; ".join(graded.problems))


def _place(job: Job) -> Place:
    """Where this process runs submissions of the unit: told by the coordinator, or a place of its own (on a cluster)."""
    if job.unit in _places:
        return _places[job.unit]
    if job.grader != (own := grader_version(exercises.unit(job.unit))):
        raise UserError(f"this machine has another version of the course ({own}) than the coordinator ({job.grader}): install the same")
    site = _sites.pop(job.unit, None)
    if site is not None and site.place.level < job.min_level:
        site.close()
        site = None
    if site is None:
        site, _ = open_site(job.unit, job.min_level, job.template.release.decode("utf-8"))
        atexit.register(site.close)
    _sites[job.unit] = site  # last in line
    while len(_sites) > SITES:
        _sites.pop(next(iter(_sites))).close()
    return site.place


def main(told: list[str]) -> None:
    """A worker of its own: requests come by standard input, answers go out by what was standard output."""
    reader, writer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the answers
    torch.set_num_threads(1)
    if told:
        unit, address, level, view = told
        _places[unit] = Place(address, int(level), view)
    serve(reader, writer)


if __name__ == "__main__":
    from autograder.grading import worker  # this file as the module that it is: what it keeps must not exist twice

    worker.main(sys.argv[1:])
