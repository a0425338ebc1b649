"""Grades a class: prepare, run in parallel, record one after the other. Interrupted, it goes on where it stopped."""

import contextlib
import gc
import hashlib
import json
import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

import autograder
import course_utils
from autograder.collecting.collect import notes_of
from autograder.course import Course
from autograder.errors import UserError
from autograder.grading import results, view, worker
from autograder.grading.place import open_site, secrets_of
from autograder.grading.prepare import Template
from autograder.grading.results import Result
from autograder.grading.submissions import Submission, Unusable, collect
from autograder.grading.worker import Answer, Job
from autograder.repair import uncertain
from autograder.sandbox.attack import PROMISES
from autograder.sandbox.client import close_early, start_early
from course_utils.exercise import Exercise, Unit
from course_utils.judge import VISIBLE_SEED, expected_of, secret_seeds, variant_outcomes

SEED = "COURSE_SEED"  # environment variable: replaces the secret seed where two engines are compared


@dataclass
class Summary:
    """What a run came to."""

    unit: str
    graded: int = 0
    skipped: int = 0
    problems: list[dict[str, str]] = field(default_factory=list)
    level: int | None = None
    seconds: float = 0.0
    changed: list[dict[str, Any]] = field(default_factory=list)  # whose score a regrade changed: student, before, after
    held: list[str] = field(default_factory=list)  # what the walls were proven to hold

    def as_json(self) -> dict[str, Any]:
        """The object that `autograder grade --json` prints."""
        return {name: value for name, value in asdict(self).items() if name not in ("changed", "held")}


def grade(
    course: Course,
    unit: str,
    *,
    workers: int | None = None,
    min_level: int = 3,
    student: str | None = None,
    force: bool = False,
    seed: str | None = None,
    advance: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda line: None,
    executor: Executor | None = None,
) -> Summary:
    """Grade the submissions of a unit behind walls of at least `min_level`; `executor` replaces the local pool (a cluster)."""
    began = time.perf_counter()
    name = course.unit(unit).name
    students = _students(course, name, student)
    release = course.released(name)
    count = workers or os.cpu_count() or 1
    with locked(course), contextlib.ExitStack() as stack:
        stack.callback(close_early)
        summary = Summary(name)
        if executor is None:
            start_early()
        run = stack.enter_context(Run(course, name, seed or os.environ.get(SEED) or course.seed(), min_level, summary, advance))
        if executor is None:
            site, proof = open_site(name, min_level, release.read_text(encoding="utf-8"), secrets_of(course.root))
            stack.enter_context(site)
            summary.level, summary.held = proof.level, [text for key, text in PROMISES.items() if proof.held.get(key)]
            say(f"sandbox level {proof.level}, attacked from inside; what held: {', '.join(summary.held) or 'nothing'}")
        pools = Pools(
            executor,
            lambda: local_pool(count, name, site.place),
            lambda: rehearse_judge(course.unit(name), run.seed if len(students) > 2 * count else None),
        )
        stack.callback(pools.close)
        run.all(students, pools, force, count)
        summary.seconds = round(time.perf_counter() - began, 2)
    return summary


def _students(course: Course, unit: str, student: str | None) -> list[str]:
    students = course.students(unit)
    if student is not None:
        if student not in students:
            raise UserError(f"{student} has not handed in {unit}")
        return [student]
    if not students:
        raise UserError(f"nobody has handed in {unit}: there is no submitted/STUDENT/{unit} in {course.root}")
    return students


def local_pool(count: int, unit: str, place: Any) -> Executor:
    """Worker processes that have imported the judge: forked from this one, or from a clean server if threads are at work here."""
    alone = all(thread.daemon or thread is threading.main_thread() for thread in threading.enumerate())
    context = multiprocessing.get_context("fork" if alone and sys.platform.startswith("linux") else "forkserver")
    context.set_forkserver_preload(["autograder.grading.worker"])
    return ProcessPoolExecutor(count, mp_context=context, initializer=worker.settle, initargs=(unit, place))


def rehearse_judge(unit: Unit, seed: str | None) -> None:
    """Compute what right and known wrong answers give once, before the workers are forked and inherit it; not for a handful (None)."""
    if seed is None:
        return
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for exercise in unit.exercises:
        if isinstance(exercise, Exercise):
            for each in (VISIBLE_SEED, *secret_seeds(seed, exercise.name, exercise.rounds)):
                expected_of(exercise, each)
                for known in exercise.misconceptions:
                    if known.variant is not None and exercise.kind != "training":
                        variant_outcomes(exercise, known.variant, each)
    torch.set_num_threads(threads)
    gc.freeze()


class Pools:
    """The executor in use, made when there is something to do; a local one whose worker died is replaced."""

    def __init__(self, given: Executor | None, make: Callable[[], Executor], rehearse: Callable[[], None]) -> None:
        self.given, self.make, self.rehearse = given, make, rehearse
        self.pool = given

    def submit(self, job: Job) -> "Future[bytes]":
        if self.pool is None:
            self.rehearse()
            self.pool = self.make()
        return self.pool.submit(worker.grade, job.to_bytes())

    def close(self) -> None:
        if self.pool is not None and self.given is None:
            self.pool.shutdown(cancel_futures=True)
            self.pool = None


@contextmanager
def locked(course: Course) -> Iterator[None]:
    """One grader at a time per course; the second one says so."""
    folder = course.root / "runs"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "a+") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # no such lock on this system
        except OSError:
            file.seek(0)
            holder = file.read().strip()
            raise UserError(
                f"this course is being graded already{' by ' + holder if holder else ''}: wait until that run has ended"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        yield


class Run:
    """One run over a class: knows what is done already, and writes down what gets done."""

    def __init__(self, course: Course, unit: str, seed: str, min_level: int, summary: Summary, advance: Callable[[], None]) -> None:
        from autograder.grading.record import Recorder

        self.course, self.unit, self.seed, self.min_level = course, unit, seed, min_level
        self.summary, self.advance = summary, advance
        self.recorder = Recorder(course, unit)
        self.template = self.recorder.template
        self.grader = grader_version(course.unit(unit))
        self.journal = Journal(course.root / "runs" / f"{unit}.journal")
        self.backed_up = False
        self.log = Log(course.root / "runs" / "logs", unit)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.recorder.__exit__()
        self.journal.close()
        self.log.close(self.summary)

    def all(self, students: list[str], pools: Pools, force: bool, workers: int) -> None:
        """Keep the workers busy and record what they return; only a few submissions are in memory at a time."""
        recorded = self.recorder.students()
        pending: dict[Future[bytes], Job] = {}
        suspects: list[Job] = []  # were under way when a worker died: tried again, one at a time
        waiting = (job for each in students if (job := self.job(each, force, recorded)) is not None)
        while True:
            while len(pending) < 2 * workers and (job := next(waiting, None)) is not None:
                pending[pools.submit(job)] = job
            if not pending:
                break
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            if any(isinstance(future.exception(), BrokenProcessPool) for future in done):
                wait(pending)
                suspects += [job for future, job in pending.items() if isinstance(future.exception(), BrokenProcessPool)]
                done = {future for future in pending if not isinstance(future.exception(), BrokenProcessPool)}
                pending = {future: job for future, job in pending.items() if future in done}
                pools.close()
            for future in done:
                self.finish(future, pending.pop(future))
        for job in suspects:
            future = pools.submit(job)
            wait([future])
            self.finish(future, job)
            if isinstance(future.exception(), BrokenProcessPool):
                pools.close()

    def job(self, student: str, force: bool, recorded: set[str]) -> Job | None:
        """What to do for a student: nothing if it is done, recording if only that is missing, else a job."""
        folder = self.course.submitted / student / self.unit
        limits = self.course.settings.limits
        try:
            submission = collect(folder, self.unit, student, int(limits.disk_mb))
        except (Unusable, OSError) as error:
            self.problem(student, str(error))
            return None
        mark = fingerprint(submission, self.template, self.grader, self.seed, asdict(limits))
        stored = results.read(self.course.root, self.unit, student)
        if not force and stored is not None and stored.fingerprint == mark and self._notebook(student).is_file():
            if student in recorded and self.journal.has(student, mark):
                self.summary.skipped += 1
                self.log.line(student, "unchanged")
                self.advance()
            else:
                self.record(stored)
            return None
        return Job(
            student, self.unit, submission.notebook, submission.files, self.template, self.seed, limits, self.min_level, mark,
            submission.timestamp, submission.notes + notes_of(self.course, self.unit, student),
        )  # fmt: skip

    def finish(self, future: "Future[bytes]", job: Job) -> None:
        try:
            answer = Answer.from_bytes(future.result())
        except BrokenProcessPool:
            self.problem(job.student, "the worker that graded it died twice; nothing was recorded")
            return
        except Exception as error:
            self.problem(job.student, f"the grader failed: {type(error).__name__}: {error}")
            return
        if answer.result is None:
            self.problem(job.student, answer.problem)
            return
        self.store(answer, job)
        self.record(answer.result)
        level = self.summary.level
        self.summary.level = answer.result.level if level is None else min(level, answer.result.level)
        doubts = uncertain([*answer.result.repairs, *answer.result.notes])
        for reason in filter(None, [answer.problem, *(f"look at the repair: {doubt}" for doubt in doubts)]):
            self.summary.problems.append({"student": job.student, "reason": reason})

    def store(self, answer: Answer, job: Job) -> None:
        """The executed notebook and the result on disk, each whole or not at all."""
        assert answer.result is not None
        target = self._notebook(job.student)
        for name, content in job.files:
            _write(target.parent / name, content)
        if job.timestamp:
            _write(target.parent / "timestamp.txt", job.timestamp.encode())
        _write(target, answer.notebook)
        _write(results.path_of(self.course.root, self.unit, job.student), answer.result.to_json().encode())

    def record(self, result: Result) -> None:
        if not self.backed_up:
            from autograder.grading.record import back_up

            back_up(self.course)
            self.backed_up = True
        before, after = self.recorder.record(result)
        self.journal.add(result.student, result.fingerprint)
        if before is not None and abs(before - after) > 1e-9:
            self.summary.changed.append({"student": result.student, "before": before, "after": after})
        self.summary.graded += 1
        hits = "".join(f"; {note.where}: {note.message}" for note in result.limits)
        self.log.line(
            result.student, f"graded {result.score:g} of {result.max_score:g} in {result.seconds:.2f} s at level {result.level}{hits}"
        )
        self.advance()

    def problem(self, student: str, reason: str) -> None:
        self.summary.problems.append({"student": student, "reason": reason})
        self.log.line(student, f"not graded: {reason}")
        self.advance()

    def _notebook(self, student: str) -> Path:
        return self.course.autograded / student / self.unit / f"{self.unit}.ipynb"


class Log:
    """What happened to every submission of one run, for people: runs/logs/UNIT-TIME.log."""

    def __init__(self, folder: Path, unit: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{unit}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
        self.file = open(folder / name, "a", encoding="utf-8", buffering=1)  # noqa: SIM115

    def line(self, student: str, text: str) -> None:
        clean = " ".join(f"{student}: {text}".split())  # a name or message must not make lines of its own
        self.file.write(f"{time.strftime('%H:%M:%S')} {clean}\n")

    def close(self, summary: Summary) -> None:
        self.file.write(f"{summary.graded} graded, {summary.skipped} unchanged, {len(summary.problems)} need a person\n")
        self.file.close()


class Journal:
    """Which results are in the gradebook: one line each, appended after the transaction."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        self.latest: dict[str, str] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                mark, _, student = line.partition(" ")
                self.latest[student] = mark
        self.file = open(path, "a", encoding="utf-8")  # noqa: SIM115

    def has(self, student: str, mark: str) -> bool:
        return self.latest.get(student) == mark

    def add(self, student: str, mark: str) -> None:
        self.latest[student] = mark
        self.file.write(f"{mark} {student}\n")
        self.file.flush()

    def close(self) -> None:
        self.file.close()


def fingerprint(submission: Submission, template: Template, grader: str, seed: str, limits: dict[str, Any]) -> str:
    """Equal for equal submissions graded in the same way."""
    digest = hashlib.sha256()
    parts = [submission.notebook, str(submission.timestamp).encode(), grader.encode(), hashlib.sha256(seed.encode()).digest()]
    parts += [part for name, content in submission.files for part in (name.encode(), content)]
    parts += [json.dumps(template.as_json["cells"], sort_keys=True).encode(), json.dumps(limits, sort_keys=True).encode()]
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def grader_version(unit: Unit) -> str:
    """A digest of the code that decides about a unit: its exercises, the judge, whatever they import, and this engine."""
    own, course = Path(autograder.__file__).parent, Path(course_utils.__file__).parent
    found: set[Path] = set()
    queue = [course / "exercises" / f"{unit.module}.py", course / "check.py", course / "play.py"]
    while queue:
        path = queue.pop()
        if path not in found and path.is_file():
            found.add(path)
            queue += [course / f"{name}.py" for name in view.imports(path)]
    found |= {*(own / "grading").glob("*.py"), *(own / "sandbox").glob("*.py"), own / "repair.py"}
    digest = hashlib.sha256()
    for path in sorted(found):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    temporary.write_bytes(content)
    temporary.replace(path)
