"""Measures this engine against stock nbgrader on the same class, in one run: time, processor time, memory, and how they grow.

`autograder bench` prints the table; `python -m autograder.measure bench` puts it into the documentation. Every figure is measured when it
runs, so run it on a machine that has nothing else to do: processor seconds suffer less from neighbours than seconds do.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.release import new_course, release
from autograder.simulate import simulate

SEED = "bench"
SIZES = (10, 100, 400)


@dataclass(frozen=True)
class Timing:
    """One run of one engine over a class."""

    submissions: int
    seconds: float  # wall time of the whole command, from start to end
    cpu_seconds: float  # of all its processes
    coordinator_mb: float = 0.0  # peak memory of the process that hands out and records

    @property
    def per_submission(self) -> float:
        return self.seconds / self.submissions


@dataclass
class Report:
    """What was measured."""

    unit: str
    cores: int
    nbgrader: Timing
    engine: Timing  # the same class
    growing: list[Timing] = field(default_factory=list)  # this engine on larger classes
    start_seconds: float = 0.0  # of this engine, before the first submission
    marginal_ms: float = 0.0  # wall time that one more submission costs
    overhead_ms: float = 0.0  # of one submission, beyond the student's own computing, of one worker
    memory_mb_per_child: float = 0.0  # that it shares with nobody

    @property
    def ratio(self) -> float:
        return self.nbgrader.seconds / self.engine.seconds

    @property
    def marginal_ratio(self) -> float:
        return 1000 * self.nbgrader.per_submission / self.marginal_ms

    @property
    def cpu_ratio(self) -> float:
        return self.nbgrader.cpu_seconds / self.engine.cpu_seconds

    def as_json(self) -> dict[str, Any]:
        """The object that `autograder bench --json` prints."""
        return {
            "submissions": self.engine.submissions,
            "nbgrader_seconds": round(self.nbgrader.seconds, 2),
            "engine_seconds": round(self.engine.seconds, 2),
            "ratio": round(self.ratio, 1),
            "overhead_ms": round(self.overhead_ms, 1),
            "memory_mb_per_child": round(self.memory_mb_per_child, 1),
            "report": asdict(self),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Report":
        """What `as_json` was made from."""
        report = data["report"]
        timings = {name: Timing(**report[name]) for name in ("nbgrader", "engine")}
        return cls(**report | timings | {"growing": [Timing(**each) for each in report["growing"]]})

    def lines(self) -> list[str]:
        """The table of docs/grading.md."""
        rows = [("stock nbgrader", self.nbgrader), ("this engine", self.engine), *(("this engine", timing) for timing in self.growing)]
        table = ["| engine | submissions | seconds | per submission | processor seconds | coordinator |", "|---|---:|---:|---:|---:|---:|"]
        for name, t in rows:
            memory = f"{t.coordinator_mb:.0f} MB" if t.coordinator_mb else ""
            table.append(
                f"| {name} | {t.submissions} | {t.seconds:.1f} | {1000 * t.per_submission:.0f} ms | {t.cpu_seconds:.1f} | {memory} |"
            )
        return [
            *table,
            "",
            f"- the same class of {self.engine.submissions}: {self.ratio:.0f} times faster with start-up, {self.cpu_ratio:.0f} times less processor time",
            f"- one more submission costs {self.marginal_ms:.0f} ms on {self.cores} cores: {self.marginal_ratio:.0f} times faster per submission",
            f"- start-up {self.start_seconds:.1f} s; overhead beyond the student's own computing {self.overhead_ms:.0f} ms of a worker per submission",
            f"- memory of a child that it shares with nobody: {self.memory_mb_per_child:.0f} MB",
        ]


def main(
    unit: str = "01",
    students: int = 20,
    sizes: tuple[int, ...] = SIZES,
    workers: int | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Report:
    """Grade a simulated class with both engines, and larger ones with this one."""
    cores = workers or os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = Path(folder)
        say("releasing and simulating")
        course = _class(root / "stock", unit, students)
        name = course.unit(unit).name
        twin = root / "engine"
        shutil.copytree(course.root, twin)
        say(f"stock nbgrader, {students} submissions")
        stock = _timed(students, [sys.executable, "-m", "nbgrader", "autograde", name, "--create"], course.root)
        say(f"this engine, {students} submissions")
        report = Report(name, cores, stock, _engine(Course(twin), name, students, cores))
        for size in sizes:
            say(f"this engine, {size} submissions")
            report.growing.append(_engine(_class(root / str(size), unit, size), name, size, cores))
        _fit(report)
        report.memory_mb_per_child, empty_cpu, own_cpu = _child(Course(twin), name)
        report.overhead_ms = max(0.0, cores * report.marginal_ms - 1000 * max(0.0, own_cpu - empty_cpu))
    return report


def _class(root: Path, unit: str, students: int) -> Course:
    course = new_course(root)
    name = course.unit(unit).name
    release(course, name)
    simulate(course, name, students, accidents=False)
    return course


def _engine(course: Course, unit: str, students: int, workers: int) -> Timing:
    """`autograder grade`, as its users run it."""
    from autograder.grading import results

    command = [
        sys.executable,
        "-m",
        "autograder.cli",
        "--course",
        str(course.root),
        "grade",
        unit,
        "--workers",
        str(workers),
        "--min-level",
        "0",
        "--json",
    ]
    timing = _timed(students, command, course.root)
    found = [results.read(course.root, unit, student) for student in course.students(unit)]
    judging = sum(result.judge_seconds for result in found if result is not None)  # workers may not be children of the command
    return replace(timing, cpu_seconds=max(timing.cpu_seconds, judging))


def _timed(submissions: int, command: list[str], folder: Path) -> Timing:
    """Run a command to its end."""
    environment = {**os.environ, "COURSE_SEED": SEED, "PYTHONWARNINGS": "ignore"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"  # nbgrader calls alembic by name
    with tempfile.TemporaryFile() as log:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            log.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed: {log.read()[-800:].decode(errors='replace')}")
    return Timing(submissions, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _fit(report: Report) -> None:
    """Start-up and cost of one more submission: the line through the smallest and the largest class."""
    runs = sorted([report.engine, *report.growing], key=lambda timing: timing.submissions)
    few, many = runs[0], runs[-1]
    slope = (
        (many.seconds - few.seconds) / (many.submissions - few.submissions) if many.submissions > few.submissions else few.per_submission
    )
    report.marginal_ms = 1000 * slope
    report.start_seconds = max(0.0, few.seconds - slope * few.submissions)


def _child(course: Course, unit: str) -> tuple[float, float, float]:
    """Memory of a child that nobody shares after a submission has run, processor time of an empty child, and of a typical one."""
    from autograder.grading import results
    from autograder.grading.place import open_site
    from autograder.sandbox.client import Order

    limits = course.settings.limits
    with open_site(unit, 0)[0] as site:
        with site.place.launch(limits) as child:
            empty = child.close().cpu_seconds
        with site.place.launch(limits) as child:
            for cell in json.loads((course.solutions / unit / f"{unit}.ipynb").read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code" and "check(" not in "".join(cell["source"]):
                    child.order("cell", Order(limits.cell_seconds), {"code": "".join(cell["source"])})
            lines = Path(f"/proc/{child.pid}/smaps_rollup").read_text().splitlines()
            own = sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024
    found = [result for student in course.students(unit) if (result := results.read(course.root, unit, student)) is not None]
    return own, empty, sum(result.cpu_seconds for result in found) / max(1, len(found))
