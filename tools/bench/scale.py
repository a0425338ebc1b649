"""Measures how far grading carries: `python -m tools.bench.scale [--submissions 500] [--null 5000]
[--json]`, `make bench-scale`.

1. Real submissions of every unit, with workers of this machine, then with a Dask cluster on it;
   every score must be the same.
2. Many submissions for workers that do nothing, so that the coordinator, its files and the
   gradebook are measured alone: in SQLite, in PostgreSQL, and through a Dask cluster.
3. What follows for a large course. Every assumption stands beside the figure that needs it.

Processor time is counted from the first result to the last, so that starting does not count, and
neighbours on the machine hardly do.
"""

import concurrent.futures
import contextlib
import functools
import json
import math
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click
import psutil

from autograder.authoring.release import new_course, release
from autograder.authoring.simulate import simulate
from autograder.bench import SEED
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.grading.pool import Pool
from tools.bench.extrapolate import MARKS, extrapolate, lines, rounded, rows

# one of them trains models; the units with longer trainings would say the same for an hour
UNITS = ("01", "02", "03", "05", "07")
WORKERS = 2  # of this machine, and of the cluster on it
WIDE = 16  # workers that do nothing: as many jobs are under way at a time
WHO, WHAT = "s00000000", "0" * 64  # student and fingerprint of an answer that is for anybody


# One run, in a process of its own -----------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """What the processes of a run have used when so many submissions were done."""

    done: int
    seconds: float
    coordinator_cpu: float
    coordinator_mb: float
    worker_cpu: float = 0.0
    worker_mb: float = 0.0  # of all workers together, memory that they share counted once
    scheduler_cpu: float = 0.0
    scheduler_mb: float = 0.0


@dataclass
class Load:
    """One run over a class: what it took from the first result to the last."""

    unit: str
    submissions: int
    graded: int = 0
    problems: int = 0
    seconds: float = 0.0  # of the whole run, with its start
    # processor seconds of a submission as the workers noted them: of the student's code and of the
    # judge
    noted_cpu: float = 0.0
    samples: list[Sample] = field(default_factory=list)
    request_bytes: float = 0.0  # of one job on the network
    answer_bytes: float = 0.0
    again_seconds: float = 0.0  # of a second run, which finds everything done
    phases: dict[str, dict[str, float]] = field(
        default_factory=dict
    )  # of the coordinator, per submission: ms, and ms of the processor

    def between(self, name: str) -> float:
        """How much a figure grew per submission, from the first result to the last."""
        first, last = self.samples[0], self.samples[-1]
        grew = float(getattr(last, name) - getattr(first, name)) / max(1, last.done - first.done)
        return max(grew, self.noted_cpu) if name == "worker_cpu" else grew


@dataclass(frozen=True)
class Machines:
    """A running cluster: its scheduler's address, its processes, and the keys of a client."""

    address: str
    scheduler: int
    workers: tuple[int, ...]
    environment: dict[str, str]


class Meter:
    """Counts what is done, and looks at the processes at the first result and at the marks."""

    def __init__(self, load: Load, machines: Machines | None) -> None:
        self.load, self.machines, self.began, self.done = load, machines, time.perf_counter(), 0
        self.marks = {1, *(math.ceil(load.submissions * mark / 100) for mark in MARKS)}

    def advance(self) -> None:
        self.done += 1
        if self.done in self.marks:
            self.load.samples.append(self.look())

    def look(self) -> Sample:
        me = psutil.Process()
        if self.machines is not None:
            workers = [
                each for pid in self.machines.workers for each in family(psutil.Process(pid))
            ]
            scheduler = [psutil.Process(self.machines.scheduler)]
        else:
            workers, scheduler = family(me)[1:], []
        own = me.memory_info().rss / 2**20
        seconds = time.perf_counter() - self.began
        used_by = (*used(workers), *used(scheduler))
        return Sample(self.done, seconds, time.process_time(), own, *used_by)


def family(process: psutil.Process) -> list[psutil.Process]:
    return [process, *process.children(recursive=True)]


def used(processes: list[psutil.Process]) -> tuple[float, float]:
    """Processor seconds of processes and of those that they have outlived, and megabytes that they
    have now.
    """
    cpu = memory = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
            times = process.cpu_times()
            cpu += times.user + times.system + times.children_user + times.children_system
            memory += process.memory_full_info().pss / 2**20
    return cpu, memory


class Weighed:
    """A pool that also counts bytes."""

    def __init__(self, pool: Pool) -> None:
        self.pool, self.requests, self.answers, self.count, self.lock = (
            pool,
            0,
            0,
            0,
            threading.Lock(),
        )

    @property
    def size(self) -> int:
        return self.pool.size

    def carry(self, request: bytes, seconds: float) -> bytes:
        answer = self.pool.carry(request, seconds)
        with self.lock:
            self.requests, self.answers, self.count = (
                self.requests + len(request),
                self.answers + len(answer),
                self.count + 1,
            )
        return answer

    def close(self) -> None:
        self.pool.close()


class Ready:
    """A pool whose workers do nothing: what they would answer lies in a folder, and gets the name
    of whoever asks.
    """

    ASKED = re.compile(rb"student.s(\d{8}).*?fingerprint..([0-9a-f]{64})", re.DOTALL)

    def __init__(self, folder: Path, size: int = WIDE) -> None:
        self.size = size
        self.answers = [path.read_bytes() for path in sorted(folder.iterdir())]

    def carry(self, request: bytes, seconds: float) -> bytes:
        asked = self.ASKED.search(request)
        assert asked is not None
        number, mark = asked.groups()
        answer = self.answers[int(number) % len(self.answers)]
        return answer.replace(WHO.encode(), b"s" + number).replace(
            WHAT.encode(), mark
        )  # of the same length, so the frame stays whole

    def close(self) -> None:
        pass


@functools.cache
def _ready(folder: str) -> Ready:
    return Ready(Path(folder))


def ready_here(folder: str, request: bytes, seconds: float) -> tuple[str, str, bytes]:
    """On a worker of the cluster, instead of grading: a ready answer."""
    return "done", "", _ready(folder).carry(request, seconds)


def run(
    root: Path, unit: str, level: int, machines: Machines | None = None, ready: Path | None = None
) -> Load:
    """Grade a class as `autograder grade` does: by workers of this machine, by a cluster, or by
    workers that have `ready` answers.
    """
    from autograder.grading import results
    from autograder.grading.run import grade

    course = Course(root)
    load = Load(unit, len(course.students(unit)))
    spent = watch() if ready is not None else {}
    pool = Weighed(_pool(machines, ready)) if machines is not None or ready is not None else None
    meter = Meter(load, machines)
    try:
        summary = grade(
            course,
            unit,
            workers=WORKERS,
            min_level=level,
            seed=SEED,
            advance=meter.advance,
            pool=pool,
        )
        load.phases = {
            name: {key: 1000 * value / load.submissions for key, value in each.items()}
            for name, each in spent.items()
        }
        if ready is not None:
            load.again_seconds = grade(course, unit, min_level=level, seed=SEED, pool=pool).seconds
    finally:
        if pool is not None:
            pool.close()
    load.graded, load.problems, load.seconds = (
        summary.graded,
        len(summary.problems),
        summary.seconds,
    )
    if ready is None:
        stored = [results.read(root, unit, each) for each in course.students(unit)]
        load.noted_cpu = (
            sum(each.cpu_seconds + each.judge_seconds for each in stored if each is not None)
            / load.submissions
        )
    if pool is not None and pool.count:
        load.request_bytes, load.answer_bytes = (
            pool.requests / pool.count,
            pool.answers / pool.count,
        )
    return load


def _pool(machines: Machines | None, ready: Path | None) -> Pool:
    if machines is None:
        assert ready is not None
        return Ready(ready)
    os.environ.update(machines.environment)  # Dask reads it when it is imported
    from autograder.grading.cluster import Cluster, grade_here

    cluster = Cluster(
        machines.address,
        work=functools.partial(ready_here, str(ready)) if ready is not None else grade_here,
    )
    cluster.client.wait_for_workers(len(machines.workers), timeout=120)
    return cluster


def watch() -> dict[str, dict[str, float]]:
    """Time what the coordinator does: seconds, and seconds of the processor."""
    from autograder.grading.record import Recorder
    from autograder.grading.run import Run

    spent: dict[str, dict[str, float]] = {}
    lock = threading.Lock()

    def timed(method: Callable[..., Any], into: dict[str, float]) -> Callable[..., Any]:
        @functools.wraps(method)
        def measured(*arguments: Any) -> Any:
            began, own = time.perf_counter(), time.thread_time()
            try:
                return method(*arguments)
            finally:
                with lock:
                    into["ms"] += time.perf_counter() - began
                    into["cpu_ms"] += time.thread_time() - own

        return measured

    for name, (owner, method) in {
        "reading the submission": (Run, "job"),
        "packing and unpacking": (Run, "carry"),  # by threads, beside the others
        "writing files": (Run, "store"),
        "recording in the gradebook": (Recorder, "record"),
    }.items():
        spent[name] = {"ms": 0.0, "cpu_ms": 0.0}
        setattr(owner, method, timed(getattr(owner, method), spent[name]))
    return spent


def alone(*arguments: Any) -> Load:
    """`run` in a fresh process, so that its memory and its processor time are its own."""
    with concurrent.futures.ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn")
    ) as executor:
        return executor.submit(_run, *arguments).result()


def _run(*arguments: Any) -> Load:
    try:
        return run(*arguments)
    except UserError:
        raise
    except Exception:
        raise RuntimeError(
            traceback.format_exc()
        ) from None  # not every error can be sent to another process


# What a run needs ---------------------------------------------------------------------------------


def environment_of(dask: Path) -> dict[str, str]:
    """Workers must find this file, which is not installed."""
    return {**os.environ, "DASK": str(dask), "PYTHONPATH": str(SOURCE_TREE)}


@contextlib.contextmanager
def cluster(folder: Path, workers: int = WORKERS) -> Iterator[Machines]:
    """A scheduler and workers as processes of this machine, with TLS, started as the documentation
    says; they end with the block.
    """
    folder.mkdir()
    keys, dask = folder / "keys", Path(sys.executable).parent / "dask"
    subprocess.run(
        [SOURCE_TREE / "cluster" / "certificates.sh", keys, "1"], check=True, capture_output=True
    )
    ending = (
        ["setpriv", "--pdeathsig", "TERM", "--"] if shutil.which("setpriv") else []
    )  # also if this process is killed
    started: list[subprocess.Popen[bytes]] = []

    def start(role: str, *options: str) -> int:
        command = [
            *ending,
            str(SOURCE_TREE / "cluster" / "run.sh"),
            role,
            str(keys / role),
            *options,
            "--host",
            "127.0.0.1",
        ]
        with open(folder / f"{role}.log", "ab") as log:
            process = subprocess.Popen(
                command, cwd=folder, env=environment_of(dask), stdout=log, stderr=log
            )
        started.append(process)
        return process.pid

    try:
        known = folder / "scheduler.json"
        scheduler = start("scheduler", "--port", "0", "--scheduler-file", str(known))
        while not known.exists() or not known.read_text():
            if started[0].poll() is not None:
                raise UserError(
                    f"the scheduler did not start: {(folder / 'scheduler.log').read_text()[-800:]}"
                )
            time.sleep(0.1)
        address = json.loads(known.read_text())["address"]
        pids = tuple(
            start("worker", address, "--local-directory", str(folder)) for _ in range(workers)
        )
        tls = "DASK_DISTRIBUTED__COMM__TLS__"
        environment = {
            f"{tls}CA_FILE": "ca.pem",
            f"{tls}CLIENT__CERT": "cert.pem",
            f"{tls}CLIENT__KEY": "key.pem",
        }
        yield Machines(
            address,
            scheduler,
            pids,
            {name: str(keys / "client" / file) for name, file in environment.items()},
        )
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def released(folder: Path, units: list[str]) -> Course:
    """A fresh course with these units released."""
    course = new_course(folder)
    for unit in units:
        release(course, unit)
    return course


def handed_in_by(course: Course, unit: str, sample: Course, count: int, ready: Path) -> None:
    """A class as large as wanted: the graded submissions of a small one again and again, and in
    `ready` what came of each.
    """
    from autograder.grading import results
    from autograder.grading.worker import Answer

    students = [
        each for each in sample.students(unit) if results.read(sample.root, unit, each) is not None
    ]
    for number in range(count):
        source = sample.submitted / students[number % len(students)] / unit
        shutil.copytree(source, course.submitted / f"s{number:08d}" / unit)
    ready.mkdir()
    for number, student in enumerate(students):
        result = results.read(sample.root, unit, student)
        assert result is not None
        notebook = (sample.autograded / student / unit / f"{unit}.ipynb").read_bytes()
        answer = Answer(WHO, replace(result, student=WHO, fingerprint=WHAT), (notebook,))
        (ready / f"{number:04d}").write_bytes(answer.to_bytes())


def in_postgresql(course: Course, unit: str, url: str) -> None:
    """Let a course have its gradebook there."""
    path = course.root / "course.toml"
    settings = path.read_text(encoding="utf-8")
    assert settings.count("[gradebook]") == 1
    path.write_text(
        settings.replace("[gradebook]", f'[gradebook]\nurl = "{url}"'), encoding="utf-8"
    )
    release(Course(course.root), unit)


def database_bytes(course: Course) -> int:
    from sqlalchemy import create_engine, func, select

    from autograder.gradebook import address
    from autograder.grading.backup import sqlite_file

    if (file := sqlite_file(course)) is not None:
        return file.stat().st_size
    engine = create_engine(address(course))
    with engine.connect() as connection:
        size = connection.scalar(select(func.pg_database_size(func.current_database())))
    engine.dispose()
    return int(size or 0)


def file_bytes(*folders: Path) -> int:
    return sum(
        path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file()
    )


# Measuring ----------------------------------------------------------------------------------------


def measure(
    submissions: int = 500,
    null: int = 5000,
    units: list[str] | tuple[str, ...] = UNITS,
    postgres: str | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Everything; what `--json` prints."""
    from autograder.sandbox.proof import highest
    from course_utils import exercises

    names = [exercises.unit(each).name for each in units]
    if submissions < 2 * len(names) or null < len(MARKS):
        raise UserError(
            f"too few: at least {2 * len(names)} --submissions, two of each unit, and "
            f"{len(MARKS)} --null"
        )
    load, cores, memory = os.getloadavg()[0], os.cpu_count() or 1, psutil.virtual_memory().total
    machine = {"cores": cores, "memory_gb": round(memory / 2**30), "load_before": round(load, 1)}
    proof, _ = highest()
    level = proof.level if proof is not None else 0
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        root = Path(folder)
        say(f"releasing {len(names)} units and simulating {submissions} submissions")
        course = released(root / "local", names)
        empty = root / "empty"
        shutil.copytree(course.root, empty)
        for position, name in enumerate(names):
            share = submissions // len(names) + (position < submissions % len(names))
            simulate(course, name, share, accidents=False)
        twin = Course(root / "twin")
        shutil.copytree(course.root, twin.root)
        local = []
        for name in names:
            say(
                f"{name}: {len(course.students(name))} submissions, {WORKERS} workers of this "
                "machine"
            )
            local.append(alone(course.root, name, level))
        with cluster(root / "machines") as machines:
            remote = []
            for name in names:
                say(f"{name}: the same, {WORKERS} workers of a cluster")
                remote.append(alone(twin.root, name, level, machines))
            compared = same_scores(course, twin, names)
            database = database_bytes(course) - database_bytes(Course(empty))
            kept = {
                each: file_bytes(course.root / each) / submissions
                for each in ("submitted", "autograded", "runs/results")
            }
            idle = nothing(root, empty, course, names[0], null, level, machines, postgres, say)
    found: dict[str, Any] = {
        "submissions": submissions,
        "null": null,
        "level": level,
        "workers": WORKERS,
        "course_units": sum(1 for each in exercises.units() if each.exercises),
        "machine": machine,
        "units": [row(ours, theirs) for ours, theirs in zip(local, remote, strict=True)],
        "local": together(local),
        "cluster": together(remote),
        "compared": compared,
        "kept_bytes": {"database": database / submissions, **kept},
        "nothing": idle,
    }
    found["extrapolation"] = extrapolate(found)
    found["rows"] = rows(found)
    return rounded(found)


def same_scores(one: Course, other: Course, units: list[str]) -> dict[str, int]:
    """How many scores were compared; UserError if one differs."""
    from autograder.points.scores import cell_scores

    cells = 0
    for unit in units:
        mine, theirs = cell_scores(one, unit), cell_scores(other, unit)
        if wrong := sorted(
            student for student in {*mine, *theirs} if mine.get(student) != theirs.get(student)
        ):
            raise UserError(
                f"{unit}: the cluster gave {wrong[0]} {theirs.get(wrong[0])}, this machine "
                f"{mine.get(wrong[0])}"
            )
        cells += sum(len(each) for each in mine.values())
    return {"submissions": sum(len(one.students(unit)) for unit in units), "cells": cells}


def nothing(
    root: Path, empty: Path, sample: Course, unit: str, count: int, level: int, machines: Machines,
    postgres: str | None, say: Callable[[str], None],
) -> dict[str, Any]:  # fmt: skip
    """The same class for workers that do nothing, in each kind of gradebook and by a cluster."""
    from tools import postgres as servers

    found: dict[str, Any] = {}
    with contextlib.ExitStack() as stack:
        if postgres is None and servers.can_start():
            server = servers.Server()
            stack.callback(server.close)
            postgres = server.database("scale")
        for name in ("sqlite", "postgresql", "cluster"):
            if name == "postgresql" and postgres is None:
                say(
                    "no PostgreSQL: its server is not installed (package postgresql), and no "
                    "--postgres URL is given"
                )
                continue
            say(f"{unit}: {count} submissions for workers that do nothing, {name}")
            course, ready = Course(root / f"nothing-{name}"), root / f"ready-{name}"
            shutil.copytree(empty, course.root)
            handed_in_by(course, unit, sample, count, ready)
            if name == "postgresql":
                in_postgresql(course, unit, str(postgres))
            before = database_bytes(course)
            load = alone(course.root, unit, level, machines if name == "cluster" else None, ready)
            found[name] = together([load]) | {
                "phases": load.phases,
                "database_bytes": (database_bytes(course) - before) / count,
                "again_ms": 1000 * load.again_seconds / count,
            }
            shutil.rmtree(course.root)
    return found


def together(loads: list[Load]) -> dict[str, Any]:
    """Several runs as one: what a submission takes on average, and how the memory of the longest
    run grew.
    """
    count = sum(load.submissions for load in loads)

    def average(value: Callable[[Load], float]) -> float:
        return sum(value(load) * load.submissions for load in loads) / count

    longest = max(loads, key=lambda load: load.submissions)
    steady = average(lambda load: load.between("seconds"))
    return {
        "submissions": count,
        "graded": sum(load.graded for load in loads),
        "problems": sum(load.problems for load in loads),
        "seconds": sum(load.seconds for load in loads),
        "ms": 1000 * steady,
        "per_second": 1 / steady,
        "worker_cpu_ms": 1000 * average(lambda load: load.between("worker_cpu")),
        "coordinator_cpu_ms": 1000 * average(lambda load: load.between("coordinator_cpu")),
        "scheduler_cpu_ms": 1000 * average(lambda load: load.between("scheduler_cpu")),
        "worker_mb": max(sample.worker_mb for load in loads for sample in load.samples) / WORKERS,
        "scheduler_mb": max(sample.scheduler_mb for load in loads for sample in load.samples),
        "coordinator_mb": [
            {"done": sample.done, "mb": sample.coordinator_mb} for sample in longest.samples
        ],
        "request_bytes": average(lambda load: load.request_bytes),
        "answer_bytes": average(lambda load: load.answer_bytes),
    }


def row(local: Load, remote: Load) -> dict[str, Any]:
    """What a submission of one unit takes, for its workers and on the network."""
    return {
        "unit": local.unit,
        "submissions": local.submissions,
        "local_cpu_ms": 1000 * local.between("worker_cpu"),
        "cluster_cpu_ms": 1000 * remote.between("worker_cpu"),
        "request_bytes": remote.request_bytes,
        "answer_bytes": remote.answer_bytes,
    }


@click.command()
@click.option("--submissions", default=500, show_default=True, help="Real ones, over all units.")
@click.option("--null", default=5000, show_default=True, help="For workers that do nothing.")
@click.option("--unit", "units", multiple=True, default=UNITS, show_default=True)
@click.option("--postgres", metavar="URL", help="An empty database (default: a server is started).")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def main(
    submissions: int, null: int, units: tuple[str, ...], postgres: str | None, as_json: bool
) -> None:
    """Measure how far grading carries."""

    def say(line: str) -> None:
        click.echo(f"  {line}", err=True)

    try:
        found = measure(submissions, null, list(units), postgres, say=say)
    except UserError as error:
        raise click.ClickException(str(error)) from None
    click.echo(json.dumps(found, ensure_ascii=False) if as_json else "\n".join(lines(found)))


if __name__ == "__main__":
    # this file as the module that it is: workers of a cluster import it by that name
    from tools.bench import scale

    scale.main()
