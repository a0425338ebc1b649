"""A busy machine fails nobody, waiting buys no time, and whoever ran out of time by waiting is
tried once more, alone.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import psutil
import pytest

from autograder.course import Course
from autograder.grading import results, run
from autograder.grading.pool import Lost
from autograder.grading.results import LimitNote
from autograder.grading.worker import Answer, Job
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import LimitHit, Order
from autograder.sandbox.warm import Warm
from tests.conftest import need
from tests.faults.conftest import SEED, UNIT

pytestmark = pytest.mark.sandbox
BUSY = "import time\nbegan = time.process_time()\nwhile time.process_time() - began < {}: pass"


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with Warm(3) as warm:
        yield warm


@pytest.fixture
def crowd(warm: Warm) -> Iterator[None]:
    """One core for the warm process and its children, which six others want as well."""
    need(hasattr(os, "sched_setaffinity"), "a choice of cores")
    process = psutil.Process(warm.process.pid)
    ours = [process, *process.children(recursive=True)]
    cores = process.cpu_affinity()
    endless = [
        sys.executable,
        "-c",
        "while True: pass",
    ]  # each in a session of its own: Linux shares a core between sessions first
    hogs = [
        psutil.Popen(endless, stdout=subprocess.DEVNULL, start_new_session=True) for _ in range(6)
    ]
    for each in (*ours, *hogs):
        each.cpu_affinity([min(cores)])
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
        for each in ours:
            each.cpu_affinity(cores)


def cell(child: Child, code: str, seconds: float) -> float:
    """Run a cell; how long it took on the wall."""
    began = time.monotonic()
    child.order("cell", Order(seconds), {"code": code})
    return time.monotonic() - began


def test_a_crowded_machine_fails_nobody(warm: Warm, crowd: None) -> None:
    with Child(warm.address, Confinement()) as child:
        wall = cell(child, BUSY.format(1.0), seconds=2.0)
        assert wall > 2.0, "the machine was not crowded at all"
        assert 0.8 < child.watch.used() < 2.0


def test_an_endless_loop_ends_on_a_crowded_machine_too(warm: Warm, crowd: None) -> None:
    with Child(warm.address, Confinement()) as child, pytest.raises(LimitHit) as hit:
        cell(child, "while True: pass", seconds=1.0)
    assert (hit.value.limit, hit.value.idle) == ("cell_seconds", False)


@pytest.mark.parametrize(
    "code",
    [
        "import time\ntime.sleep(60)",
        "import threading\nthreading.Event().wait()",
        "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        "
        "time.sleep(60)\ntime.sleep(60)",
    ],
    ids=["sleep", "wait", "sleepers"],
)
def test_waiting_buys_no_time_and_is_called_idle(warm: Warm, code: str) -> None:
    with Child(warm.address, Confinement()) as child, pytest.raises(LimitHit) as hit:
        cell(child, code, seconds=1.0)
    assert (hit.value.limit, hit.value.idle) == ("cell_seconds", True)


def test_many_processes_buy_no_time(warm: Warm) -> None:
    """They make one another wait for a processor, but use one meanwhile."""
    code = "import os\nfor _ in range(12):\n    if os.fork() == 0:\n        break\nwhile True: pass"
    with Child(warm.address, Confinement()) as child, pytest.raises(LimitHit) as hit:
        cell(child, code, seconds=2.0)
    assert (hit.value.limit, hit.value.idle) == ("cell_seconds", False)
    assert child.watch.used() < 2.0 + (os.cpu_count() or 1) * 4


class Slow:
    """A pool that gives ready answers.

    The first one for some students ran out of time, or lost its worker.
    """

    size = 4

    def __init__(self, graded: Course, waits: set[str], loses: set[str]) -> None:
        self.graded, self.waits, self.loses = graded, waits, loses
        self.lock, self.now = threading.Lock(), 0
        self.tries: list[tuple[str, int]] = []

    def carry(self, request: bytes, seconds: float) -> bytes:
        job = Job.from_bytes(request)
        with self.lock:
            first = job.student not in [student for student, _ in self.tries]
            self.now += 1
            self.tries.append((job.student, self.now))
        time.sleep(0.05)
        with self.lock:
            self.now -= 1
        if first and job.student in self.loses:
            raise Lost("the worker died")
        result = results.read(self.graded.root, UNIT, job.student)
        if result is None:
            return Answer(job.student, problem="not readable").to_bytes()
        note = LimitNote("cell_seconds", "softmax", "no end within 30 s", idle=True)
        limits = (note,) if first and job.student in self.waits else ()
        return Answer(
            job.student, replace(result, limits=limits, fingerprint=job.fingerprint), (b"{}",)
        ).to_bytes()

    def close(self) -> None: ...


def test_whoever_ran_out_of_time_by_waiting_is_tried_once_more_alone(
    course: Course, undisturbed: Course
) -> None:
    students = course.students(UNIT)
    pool = Slow(undisturbed, waits=set(students[:2]), loses={students[4]})
    summary = run.grade(course, "01", seed=SEED, pool=pool)
    assert summary.graded == 8
    again = pool.tries[len(students) :]
    assert sorted(again) == [(student, 1) for student in sorted({*students[:2], students[4]})], (
        "once more, with nothing beside it"
    )
    for student in students[:2]:
        result = results.read(course.root, UNIT, student)
        assert result is not None
        assert not result.limits


def test_second_tries_are_bounded_in_total(
    course: Course, undisturbed: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many submissions wait or lose their worker: who is left out keeps what there is."""
    monkeypatch.setattr(run, "SECOND_TRIES", 0.0)
    students = course.students(UNIT)
    pool = Slow(undisturbed, waits=set(students[:3]), loses=set(students[3:5]))
    summary = run.grade(course, "01", seed=SEED, pool=pool)
    assert len(pool.tries) == len(students), "nobody was tried again"
    reasons = {each["student"]: each["reason"] for each in summary.problems}
    for student in students[:3]:
        assert "none was left for a second try" in reasons[student]
        result = results.read(course.root, UNIT, student)
        assert result is not None
        assert result.limits
    for student in students[3:5]:
        assert reasons[student].startswith("given up after one try, since many others")
        assert results.read(course.root, UNIT, student) is None


def test_second_tries_share_one_time(
    course: Course, undisturbed: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes all the time that a submission has: then there are two of them, not eight."""
    clock = Clock()
    monkeypatch.setattr(run, "time", clock)
    students = course.students(UNIT)

    class Slower(Slow):
        def carry(self, request: bytes, seconds: float) -> bytes:
            if len(self.tries) >= len(students):
                clock.passed += Job.from_bytes(request).limits.submission_seconds
            return super().carry(request, seconds)

    pool = Slower(undisturbed, waits=set(students), loses=set())
    summary = run.grade(course, "01", seed=SEED, pool=pool)
    assert len(pool.tries) == len(students) + run.SECOND_TRIES
    left_out = [each for each in summary.problems if "none was left" in each["reason"]]
    assert len(left_out) == summary.graded - run.SECOND_TRIES


class Clock:
    """Stands for the module `time`; passes only when told."""

    perf_counter = staticmethod(time.perf_counter)

    def __init__(self) -> None:
        self.passed = 0.0

    def monotonic(self) -> float:
        return self.passed


def test_a_submission_that_waits_every_time_is_reported_with_its_limit(course: Course) -> None:
    from tests.autograder import classroom

    (course.root / "course.toml").write_text("[limits]\ncell_seconds = 1\n")
    student = course.students(UNIT)[0]
    path = course.submitted / student / UNIT / f"{UNIT}.ipynb"
    notebook = classroom.released(course)
    classroom.named(notebook, "softmax")["source"] = "import time\ntime.sleep(100)"
    path.write_text(json.dumps(notebook))
    run.grade(course, "01", seed=SEED, student=student)
    result = results.read(course.root, UNIT, student)
    assert result is not None
    assert [(note.limit, note.where, note.idle) for note in result.limits] == [
        ("cell_seconds", "softmax", True)
    ]
    log = next((course.root / "runs" / "logs").glob("*")).read_text()
    assert log.count("its time ran out while it waited") == 1
