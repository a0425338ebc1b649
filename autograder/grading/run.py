"""Grades a class: read, grade in parallel, record one after the other.

Interrupted, it goes on where it stopped. No submission ends a run: what comes of one is a result,
or a line about its student.
"""

import contextlib
import itertools
import math
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import msgspec

from autograder import files, outside
from autograder.any_course import AnyCourse
from autograder.collecting.collect import notes_of
from autograder.collecting.repair import uncertain
from autograder.collecting.taken import remember_problems
from autograder.course import SEED, Course, Limits
from autograder.errors import UserError
from autograder.grading import results
from autograder.grading.journal import Journal, Log, locked, writing
from autograder.grading.launch import Launcher, Opening, code_that_runs, words_added
from autograder.grading.pool import LocalPool, Lost, Pool
from autograder.grading.results import Result, RunSummary
from autograder.grading.submissions import (
    MAX_NOTEBOOK,
    Unusable,
    fingerprint,
    read_submission,
    seed_for,
)
from autograder.grading.version import grader_version
from autograder.grading.worker import Answer, Job, Sheet, import_judge, warmed
from autograder.sandbox.attack import PROMISES
from autograder.sandbox.warm import close_early, start_early

AHEAD = 2  # jobs that wait for a worker, so that no worker waits for a job
THREADS = 4096  # as many as a pool may carry at a time; they are made when needed
ROUND_TRIP = 90.0  # seconds that a job may take beyond twice the time of the submission
SECOND_TRIES = 2.0  # all second tries together take at most so many times that of a submission
MAX_NOTES = 50
LONG = 2.0  # seconds: a submission that took longer is started first the next time
NO_TIME = "its time ran out while it waited, and none was left for a second try: grade it again"


def grade(
    course: Course,
    unit: str,
    *,
    workers: int | None = None,
    min_level: int = 3,
    student: str | None = None,
    only: Collection[str] | None = None,
    force: bool = False,
    seed: str | None = None,
    advance: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda line: None,
    pool: Pool | None = None,
) -> RunSummary:
    """Grade the submissions of a unit (or `only` of these students) behind walls of at least
    `min_level`.

    `pool` stands for a cluster; the default is this machine. `seed` replaces the secret one, and is
    the same for all: for tests, and where two engines are compared.
    """
    began = time.perf_counter()
    name = course.unit_name(unit)
    students = chosen_students(course, name, student)
    students = [each for each in students if only is None or each in only]
    if not course.foreign:
        course.released(name)
    with locked(course, name), contextlib.ExitStack() as stack:
        stack.callback(close_early)
        summary = RunSummary(name)
        run = Run(course, name, seed or os.environ.get(SEED), min_level, summary, advance, say)
        stack.enter_context(run)
        jobs = run.jobs(students, force)
        if (first := next(jobs, None)) is not None:  # else everything is graded already
            if pool is None:
                pool = _local_pool(run, stack, workers, students)
            else:
                _check_exercises(run)
            run.all(itertools.chain([first], jobs), pool)
        if summary.problems:
            with writing():
                remember_problems(course, name, summary.problems)
        summary.seconds = round(time.perf_counter() - began, 2)
    return summary


def _local_pool(
    run: "Run", stack: contextlib.ExitStack, workers: int | None, students: list[str]
) -> Pool:
    """Workers of this machine, behind walls that were attacked while the judge rehearsed."""
    course, count = run.course, workers or os.cpu_count() or 1
    if not course.foreign:
        start_early()
    opening = _opening(run, students)
    stack.callback(opening.close)
    import_judge(asserts=course.foreign)  # before workers are forked
    _check_exercises(run)
    if not course.foreign:
        from autograder.grading import rehearsal

        kept = rehearsal.path_of(course.root, run.unit)
        rehearsal.rehearse(course.unit(run.unit), kept, run.grader, large=len(students) > 2 * count)
    launcher = _proven_launcher(run, opening)
    run.recorder.rest()  # the workers shall not inherit a connection
    pool = LocalPool(count, run.unit, launcher)
    stack.callback(pool.close)
    return pool


def _check_exercises(run: "Run") -> None:
    """UserError if the exercises have other points than the notebooks say."""
    if not run.course.foreign:
        from autograder.fit import check_built  # imports the exercises, and with them torch

        check_built(run.course, run.unit)


def likely(course: Course, unit: str) -> bool:
    """Does a first glance find something to grade? Nothing is decided by it: the warm process is
    started early if so."""
    results_ = course.root / "runs" / "results" / unit
    for student in course.students(unit):
        try:
            graded = (results_ / f"{student}.json").stat().st_mtime
        except OSError:
            return True
        if any(
            path.lstat().st_mtime > graded for path in course.submission(student, unit).glob("*")
        ):
            return True
    return False


def _opening(run: "Run", students: Iterable[str]) -> Opening:
    """A sandbox for this unit, whose walls are attacked from inside from now on."""
    text = code_that_runs(template.release for template in run.templates)
    text += "\n".join(_words_added(run, students))
    modules = warmed(run.templates, run.files) if run.course.foreign else None
    return Opening(run.unit, run.min_level, text, run.course.secret_paths, modules)


def _words_added(run: "Run", students: Iterable[str]) -> set[str]:
    """What these students added that trains or draws: what it needs is then imported only once."""
    found: set[str] = set()
    for student, template in itertools.product(students, run.templates):
        path = run.course.submission(student, run.unit) / f"{template.name}.ipynb"
        with contextlib.suppress(OSError, outside.TooLarge):
            found |= words_added(template.release, outside.read_bounded(path, MAX_NOTEBOOK))
    return found


def _proven_launcher(run: "Run", opening: Opening) -> Launcher:
    """Where submissions run on this machine, after its walls were attacked."""
    sandbox, proof = opening.finish()
    summary = run.summary
    summary.level = proof.level
    summary.held = [text for key, text in PROMISES.items() if proof.held.get(key)]
    held = ", ".join(summary.held) or "nothing"
    run.say(f"sandbox level {proof.level}, attacked from inside; what held: {held}")
    return sandbox.launcher


def chosen_students(course: Course, unit: str, student: str | None) -> list[str]:
    """Whom to grade; UserError if that is nobody."""
    students = course.students(unit)
    if student is not None:
        if student not in students:
            raise UserError(f"{student} has not handed in {unit}")
        return [student]
    if not students:
        raise UserError(
            f"nobody has handed in {unit}: there is no {course.submitted.name}/STUDENT/{unit} in"
            f" {course.root}"
        )
    return students


class LongRuns:
    """Who took long before: begun last, one of them would keep a whole class waiting."""

    def __init__(self, path: Path) -> None:
        self.path, self.changed = path, False
        try:
            read = msgspec.json.decode(path.read_bytes(), type=dict[str, float])
        except (OSError, msgspec.MsgspecError):  # without it nobody comes first
            read = {}
        self.seconds = read

    def first(self, students: list[str]) -> list[str]:
        """The same students, those who took longest first."""
        return sorted(students, key=lambda student: -self.seconds.get(student, 0.0))

    def note(self, student: str, seconds: float) -> None:
        before = self.seconds.pop(student, None)
        if seconds > LONG:
            self.seconds[student] = seconds
        self.changed |= before != self.seconds.get(student)

    def write(self) -> None:
        if self.changed:
            with contextlib.suppress(OSError):  # a run without it is only slower
                files.write_whole(self.path, msgspec.json.encode(self.seconds))


class Run:
    """One run over a class: knows what is done already, and writes down what gets done."""

    def __init__(
        self,
        course: Course,
        unit: str,
        common_seed: str | None,
        min_level: int,
        summary: RunSummary,
        advance: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        from autograder.grading.record import Recorder

        self.course, self.unit, self.min_level = course, unit, min_level
        self.common_seed, self.secret = common_seed, common_seed or course.seed()
        self.summary, self.advance, self.say = summary, advance, say
        self.limits = whole(course.settings.limits)
        self.recorder = Recorder(course, unit, say)
        self.templates = self.recorder.templates
        self.grader = grader_version(None if course.foreign else unit)
        self.rules: str | None = None
        self.files: tuple[tuple[str, bytes], ...] = ()  # of the course, beside every notebook
        if isinstance(course, AnyCourse):
            self.rules, self.files = course.rules(), course.source_files(unit)
            room = sum(len(content) for _, content in self.files) >> 20
            self.limits = replace(self.limits, disk_mb=self.limits.disk_mb + 2 * room)
        self.journal = Journal(course.root / "runs" / f"{unit}.journal")
        self.backed_up = False
        self.long = LongRuns(course.root / "runs" / "long" / f"{unit}.json")
        self.log = Log(course.root / "runs" / "logs", unit)

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *_: object) -> None:
        self.recorder.__exit__()
        self.journal.close()
        self.long.write()
        done = self.summary
        self.log.close(done.graded, done.skipped, len(done.problems))

    # What is to be done

    def jobs(self, students: list[str], force: bool) -> Iterator[Job]:
        """What is to be done, made one at a time: a class does not fit into memory."""
        recorded = self.recorder.students()
        for student in self.long.first(students):
            job: Job | None = None
            with self.one_line_about(student):
                job = self.job(student, force, recorded)
            if job is not None:
                yield job

    def job(self, student: str, force: bool, recorded: set[str]) -> Job | None:
        """For a student: nothing if it is done, recording if only that is missing, else a job."""
        folder = self.course.submission(student, self.unit)
        names = tuple(template.name for template in self.templates)
        submission = read_submission(folder, names, student, int(self.limits.disk_mb))
        submission = submission.overlaid(self.files)
        how = (self.templates, self.grader, self.secret, self.limits, self.rules)
        mark = fingerprint(submission, *how)
        stored = None if force else results.read(self.course.root, self.unit, student)
        if stored is not None and stored.fingerprint == mark and self._is_stored(student):
            if student in recorded and self.journal.has(student, mark):
                self.summary.skipped += 1
                self.log.line(student, "unchanged")
                self.advance()
            else:
                self.record(stored)
            return None
        collected = notes_of(self.course, self.unit, student)
        notes = outside.lines([*submission.notes, *collected], MAX_NOTES)
        return Job(
            student,
            self.unit,
            tuple(map(Sheet, self.templates, submission.notebooks)),
            submission.files,
            self.common_seed or seed_for(self.secret, submission),
            self.limits,
            self.min_level,
            mark,
            submission.timestamp,
            tuple(notes),
            self.grader,
            self.rules,
        )

    # Doing it

    def all(self, jobs: Iterator[Job], pool: Pool) -> None:
        """Keep the workers busy and record what they return, then try some once more."""
        with ThreadPoolExecutor(THREADS) as threads:
            try:
                self.try_again(self.try_all(jobs, pool, threads), pool, threads)
            except BaseException:
                pool.close()  # else the threads would wait for workers that nobody needs any more
                threads.shutdown(cancel_futures=True)
                raise

    def try_all(
        self, jobs: Iterator[Job], pool: Pool, threads: ThreadPoolExecutor
    ) -> list[tuple[Job, Answer | None, str]]:
        """Whoever lost the worker, or time by waiting, comes back, with what there is so far."""
        again: list[tuple[Job, Answer | None, str]] = []
        pending: dict[Future[Answer], Job] = {}
        while True:
            while len(pending) < pool.size + AHEAD and (job := next(jobs, None)) is not None:
                pending[threads.submit(self.carry, job, pool)] = job
            if not pending:
                return again
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                job = pending.pop(future)
                answer, lost = self.outcome(future)
                if lost or any(note.idle for note in answer.limits):
                    why = lost or "its time ran out while it waited"
                    self.log.line(job.student, f"to be tried once more, alone: {why}")
                    again.append((job, None if lost else answer, lost))
                else:
                    self.finish(job, answer)

    def try_again(
        self,
        again: list[tuple[Job, Answer | None, str]],
        pool: Pool,
        threads: ThreadPoolExecutor,
    ) -> None:
        """Once more, one at a time, those without any result first, while there is time for it."""
        began, budget = time.monotonic(), SECOND_TRIES * self.limits.submission_seconds
        for job, first, reason in sorted(again, key=lambda each: each[1] is not None):
            if time.monotonic() - began < budget:
                answer, lost = self.outcome(threads.submit(self.carry, job, pool))
                tries = "two tries"
            elif first is not None:
                answer, lost = replace(first, problem=first.problem or NO_TIME), ""
            else:
                answer, lost = Answer(job.student), reason
                tries = "one try, since many others had to be tried again"
            if lost and first is None:
                self.problem(job.student, f"given up after {tries}, nothing was recorded: {lost}")
            else:
                self.finish(job, first if lost and first is not None else answer)

    def carry(self, job: Job, pool: Pool) -> Answer:
        allowed = ROUND_TRIP + 2 * job.limits.submission_seconds
        return Answer.from_bytes(pool.carry(job.to_bytes(), allowed))

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

    # Writing it down

    def finish(self, job: Job, answer: Answer) -> None:
        with self.one_line_about(job.student):
            if answer.result is None:
                self.problem(job.student, answer.problem)
                return
            with writing():
                self.store(answer, job)
            if not self.record(answer.result):
                return
            level = self.summary.level
            mine = answer.result.level
            self.summary.level = mine if level is None else min(level, mine)
            doubts = uncertain([*answer.result.repairs, *answer.result.notes])
            for reason in (answer.problem, *(f"look at the repair: {doubt}" for doubt in doubts)):
                if reason:
                    self._note(job.student, reason)

    def store(self, answer: Answer, job: Job) -> None:
        """The executed notebooks with their files, then the result: it says that all is there."""
        assert answer.result is not None
        target = self.course.graded(job.student, self.unit)
        new = files.aside(target)
        files.remove(new)
        try:
            for name, content in job.files:
                files.write_whole(new / name, content)
            if job.timestamp:
                files.write_whole(new / "timestamp.txt", job.timestamp)
            for template, notebook in zip(self.templates, answer.notebooks, strict=True):
                if notebook:
                    files.write_whole(new / f"{template.name}.ipynb", notebook)
            files.swap(new, target)
        finally:
            files.remove(new)
        path = results.path_of(self.course.root, self.unit, job.student)
        files.write_whole(path, answer.result.to_json())

    def record(self, result: Result) -> bool:
        """Into the gradebook; whether that took it."""
        from autograder.grading.record import Unrecordable

        if not self.backed_up:
            with writing():
                self.recorder.back_up()
            self.backed_up = True
        try:
            before, after = self.recorder.record(result)
        except Unrecordable as error:
            self.problem(result.student, str(error))
            return False
        with writing():
            self.journal.add(result.student, result.fingerprint)
        if before is not None and abs(before - after) > 1e-9:
            change = {"student": result.student, "before": before, "after": after}
            self.summary.changed.append(change)
        self.summary.graded += 1
        self.long.note(result.student, result.seconds)
        hits = "".join(f"; {note.where}: {note.message}" for note in result.limits)
        points = f"{result.score:g} of {result.max_score:g}"
        how = f"in {result.seconds:.2f} s at level {result.level}"
        self.log.line(result.student, f"graded {points} {how}{hits}")
        self.advance()
        return True

    @contextlib.contextmanager
    def one_line_about(self, student: str) -> Iterator[None]:
        """Whatever goes wrong with one submission is one line about it, unless it concerns all."""
        try:
            yield
        except UserError:
            raise
        except Unusable as error:
            self.problem(student, str(error))
        except OSError as error:
            self.problem(student, f"it cannot be read or stored: {error.strerror or error}")
        except Exception as error:
            self.problem(student, f"the grader failed: {type(error).__name__}: {error}")

    def problem(self, student: str, reason: str) -> None:
        self._note(student, reason)
        self.log.line(student, f"not graded: {reason}")
        self.advance()

    def _note(self, student: str, reason: str) -> None:
        self.summary.problems.append(
            {"student": outside.line(student, 250), "reason": outside.line(reason)}
        )

    def _is_stored(self, student: str) -> bool:
        return any(self.course.graded(student, self.unit).glob("*.ipynb"))


def whole(limits: Limits) -> Limits:
    """Whole numbers where whole numbers are meant, whatever course.toml says."""
    counts = ("memory_mb", "processes", "disk_mb", "output_kb")
    return replace(limits, **{name: math.ceil(getattr(limits, name)) for name in counts})
