"""Grades a class: prepare, run in parallel, record one after the other. Interrupted, it goes on where it stopped."""

import contextlib
import gc
import hashlib
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from autograder.collecting.collect import notes_of
from autograder.course import Course
from autograder.errors import UserError
from autograder.grading import results
from autograder.grading.place import open_site, secrets_of
from autograder.grading.pool import LocalPool, Lost, Pool
from autograder.grading.prepare import Template
from autograder.grading.results import Result
from autograder.grading.submissions import Submission, Unusable, collect
from autograder.grading.version import grader_version
from autograder.grading.worker import Answer, Job
from autograder.repair import uncertain
from autograder.sandbox.attack import PROMISES
from autograder.sandbox.client import close_early, start_early
from course_utils.exercise import Exercise, Unit
from course_utils.judge import VISIBLE_SEED, expected_of, secret_seeds, variant_outcomes

AHEAD = 2  # jobs that wait for a worker, so that no worker waits for a job
THREADS = 4096  # as many as a pool may carry at a time; they are made when needed
ROUND_TRIP = 90.0  # seconds that a job may take beyond twice the time of the submission: sending, a worker that starts, the judge
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
    pool: Pool | None = None,
) -> Summary:
    """Grade the submissions of a unit behind walls of at least `min_level`; `pool` stands for a cluster, the default is this machine."""
    began = time.perf_counter()
    name = course.unit(unit).name
    students = _students(course, name, student)
    release = course.released(name)
    count = workers or os.cpu_count() or 1
    with locked(course, name), contextlib.ExitStack() as stack:
        stack.callback(close_early)
        summary = Summary(name)
        if pool is None:
            start_early()
        run = stack.enter_context(Run(course, name, seed or os.environ.get(SEED) or course.seed(), min_level, summary, advance, say))
        if pool is None:
            site, proof = open_site(name, min_level, release.read_text(encoding="utf-8"), secrets_of(course.root))
            stack.enter_context(site)
            summary.level, summary.held = proof.level, [text for key, text in PROMISES.items() if proof.held.get(key)]
            say(f"sandbox level {proof.level}, attacked from inside; what held: {', '.join(summary.held) or 'nothing'}")
        jobs = run.jobs(students, force)
        if (first := next(jobs, None)) is not None:  # else everything is graded already
            if pool is None:
                if len(students) > 2 * count:
                    rehearse_judge(course.unit(name), run.seed)
                run.recorder.rest()  # the workers shall not inherit a connection
                pool = LocalPool(count, name, site.place)
                stack.callback(pool.close)
            run.all(itertools.chain([first], jobs), pool)
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


def rehearse_judge(unit: Unit, seed: str) -> None:
    """Compute what right and known wrong answers give once, before the workers are forked and inherit it."""
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


@contextmanager
def locked(course: Course, unit: str) -> Iterator[None]:
    """One grader at a time per unit; the second one says so."""
    folder = course.root / "runs"
    folder.mkdir(exist_ok=True)
    with open(folder / f"{unit}.lock", "a+") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # no such lock on this system
        except OSError:
            file.seek(0)
            holder = file.read().strip()
            raise UserError(f"{unit} is being graded already{' by ' + holder if holder else ''}: wait until that run has ended") from None
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        yield


class Run:
    """One run over a class: knows what is done already, and writes down what gets done."""

    def __init__(
        self,
        course: Course,
        unit: str,
        seed: str,
        min_level: int,
        summary: Summary,
        advance: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        from autograder.grading.record import Recorder

        self.course, self.unit, self.seed, self.min_level = course, unit, seed, min_level
        self.summary, self.advance, self.say = summary, advance, say
        self.recorder = Recorder(course, unit, say)
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

    def jobs(self, students: list[str], force: bool) -> Iterator[Job]:
        """What is to be done, made one at a time: a class does not fit into memory."""
        recorded = self.recorder.students()
        return (job for each in students if (job := self.job(each, force, recorded)) is not None)

    def all(self, jobs: Iterator[Job], pool: Pool) -> None:
        """Keep the workers busy and record what they return. Who lost a worker, or time by waiting, is tried once more, alone."""
        again: list[tuple[Job, Answer | None]] = []
        pending: dict[Future[Answer], Job] = {}
        with ThreadPoolExecutor(THREADS) as threads:
            try:
                while True:
                    while len(pending) < pool.size + AHEAD and (job := next(jobs, None)) is not None:
                        pending[threads.submit(self.carry, job, pool)] = job
                    if not pending:
                        break
                    for future in wait(pending, return_when=FIRST_COMPLETED).done:
                        job = pending.pop(future)
                        answer, lost = self.outcome(future)
                        if lost or any(note.idle for note in answer.limits):
                            self.log.line(job.student, f"to be tried once more, alone: {lost or 'its time ran out while it waited'}")
                            again.append((job, None if lost else answer))
                        else:
                            self.finish(job, answer)
                for job, first in again:
                    answer, lost = self.outcome(threads.submit(self.carry, job, pool))
                    if lost and first is None:
                        self.problem(job.student, f"given up after two tries, nothing was recorded: {lost}")
                    else:
                        self.finish(job, first if lost and first is not None else answer)
            except BaseException:
                pool.close()  # else the threads would wait for workers that nobody needs any more
                threads.shutdown(cancel_futures=True)
                raise

    def carry(self, job: Job, pool: Pool) -> Answer:
        return Answer.from_bytes(pool.carry(job.to_bytes(), ROUND_TRIP + 2 * job.limits.submission_seconds))

    def outcome(self, future: "Future[Answer]") -> tuple[Answer, str]:
        """The answer, or why there is none and another try may help."""
        try:
            return future.result(), ""
        except Lost as lost:
            return Answer(""), str(lost)
        except UserError:
            raise
        except Exception as error:
            return Answer("", problem=f"the grader failed: {type(error).__name__}: {error}"), ""

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
            submission.timestamp, submission.notes + notes_of(self.course, self.unit, student), self.grader,
        )  # fmt: skip

    def finish(self, job: Job, answer: Answer) -> None:
        if answer.result is None:
            self.problem(job.student, answer.problem)
            return
        with writing():
            self.store(answer, job)
        self.record(answer.result)
        level = self.summary.level
        self.summary.level = answer.result.level if level is None else min(level, answer.result.level)
        doubts = uncertain([*answer.result.repairs, *answer.result.notes])
        for reason in filter(None, [answer.problem, *(f"look at the repair: {doubt}" for doubt in doubts)]):
            self.summary.problems.append({"student": job.student, "reason": reason})

    def store(self, answer: Answer, job: Job) -> None:
        """The executed notebook and the result on disk, each whole or not at all; the result last, since it says that all is there."""
        assert answer.result is not None
        target = self._notebook(job.student)
        for name, content in job.files:
            _write(target.parent / name, content)
        if job.timestamp:
            _write(target.parent / "timestamp.txt", job.timestamp.encode())
        _write(target, answer.notebook)
        _write(results.path_of(self.course.root, self.unit, job.student), answer.result.to_json().encode())

    def record(self, result: Result) -> None:
        from autograder.grading.record import Unrecordable

        if not self.backed_up:
            with writing():
                self.recorder.back_up()
            self.backed_up = True
        try:
            before, after = self.recorder.record(result)
        except Unrecordable as error:
            self.problem(result.student, str(error))
            return
        with writing():
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
        self._write(f"{time.strftime('%H:%M:%S')} {clean}\n")

    def close(self, summary: Summary) -> None:
        self._write(f"{summary.graded} graded, {summary.skipped} unchanged, {len(summary.problems)} need a person\n")
        with contextlib.suppress(OSError):
            self.file.close()

    def _write(self, line: str) -> None:
        with contextlib.suppress(OSError):  # a full disk shall stop the grading where something is lost, not here
            self.file.write(line)


class Journal:
    """Which results are in the gradebook: one line each, appended after the transaction."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        self.latest: dict[str, str] = {}
        if path.is_file():
            whole, _, torn = path.read_bytes().rpartition(b"\n")
            if torn:  # written when the disk was full, or the machine went down
                os.truncate(path, len(whole) + 1 if whole else 0)
            for line in whole.decode("utf-8").splitlines():
                mark, _, student = line.partition(" ")
                self.latest[student] = mark
        self.file = open(path, "ab", buffering=0)  # noqa: SIM115

    def has(self, student: str, mark: str) -> bool:
        return self.latest.get(student) == mark

    def add(self, student: str, mark: str) -> None:
        self.latest[student] = mark
        self.file.write(f"{mark} {student}\n".encode())

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


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.new")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def writing() -> Iterator[None]:
    """A disk that takes nothing more ends the run: what is graded is kept, and what was under way is graded next time."""
    try:
        yield
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        raise UserError(
            f"cannot write{where}: {error.strerror or error}. What is recorded stays recorded; "
            "make room or mend the cause, then give the same command again: it goes on where it stopped"
        ) from None
