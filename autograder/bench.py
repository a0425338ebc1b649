"""Measures this engine against stock nbgrader in one run: time, processor time, memory, growth.

`autograder bench` prints the table; `python -m tools.measure bench` puts it into the documentation.
In a course that nbgrader made, the class is what was handed in there; it is copied, and stays as it
is.
Classes of all sizes hold the same answers, again and again, so that a larger class is not an
easier one, but each submission has secret cases of its own, as in a class of real people. Every
class is graded several times, and the line is fitted through all runs.
"""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from autograder.any_course import AnyCourse, preloads
from autograder.course import Course
from autograder.errors import UserError
from autograder.grading.prepare import code_of
from autograder.grading.run import chosen_students

SEED = "bench"  # of the secret cases where stock nbgrader grades
FACTORS = (1, 5, 15)  # a class of 20 is also graded as one of 100 and of 300
REPEATS = 3


@dataclass(frozen=True)
class Timing:
    """One run of one engine over a class."""

    submissions: int
    seconds: float  # wall time of the whole command, from start to end
    cpu_seconds: float  # of all its processes
    coordinator_mb: float = 0.0  # peak memory of the process that hands out and records


@dataclass
class Report:
    """What was measured."""

    unit: str
    cores: int
    nbgrader: list[Timing] = field(default_factory=list)  # the smallest class
    engine: list[Timing] = field(default_factory=list)  # every class, every time
    overhead_ms: float = 0.0  # of one submission, beyond the student's own computing, of one worker
    memory_mb_per_child: float = 0.0  # that it shares with nobody

    @property
    def submissions(self) -> int:
        """The size of the class that both engines graded."""
        return self.nbgrader[0].submissions

    @property
    def same_class(self) -> list[Timing]:
        return [each for each in self.engine if each.submissions == self.submissions]

    @property
    def ratio(self) -> float:
        return _median(self.nbgrader) / _median(self.same_class)

    @property
    def cpu_ratio(self) -> float:
        return _median(self.nbgrader, "cpu_seconds") / _median(self.same_class, "cpu_seconds")

    @property
    def line(self) -> tuple[float, float]:
        """Seconds to start, and seconds that one more submission takes: the line through all."""
        sizes = [each.submissions for each in self.engine]
        if len(set(sizes)) < 2:
            return 0.0, _median(self.engine) / sizes[0]
        fit = statistics.linear_regression(sizes, [each.seconds for each in self.engine])
        return fit.intercept, fit.slope

    @property
    def marginal_ratio(self) -> float:
        return _median(self.nbgrader) / self.submissions / self.line[1]

    def as_json(self) -> dict[str, Any]:
        """The object that `autograder bench --json` prints."""
        start, slope = self.line
        return {
            "submissions": self.submissions,
            "nbgrader_seconds": round(_median(self.nbgrader), 2),
            "engine_seconds": round(_median(self.same_class), 2),
            "ratio": round(self.ratio, 1),
            "marginal_ms": round(1000 * slope, 1),
            "marginal_ratio": round(self.marginal_ratio, 1),
            "start_seconds": round(start, 2),
            "overhead_ms": round(self.overhead_ms, 1),
            "memory_mb_per_child": round(self.memory_mb_per_child, 1),
            "report": asdict(self),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Report":
        """What `as_json` was made from."""
        report = dict(data["report"])
        for name in ("nbgrader", "engine"):
            report[name] = [Timing(**each) for each in report[name]]
        return cls(**report)

    def lines(self) -> list[str]:
        """The table of docs/grading.md."""
        table = [
            "| engine | submissions | runs | seconds (least to most) | per submission "
            "| processor seconds | coordinator |",
            "|---|---:|---:|---:|---:|---:|---:|",
            _row("stock nbgrader", self.nbgrader),
        ]
        for size in sorted({each.submissions for each in self.engine}):
            runs = [each for each in self.engine if each.submissions == size]
            table.append(_row("this engine", runs))
        start, slope = self.line
        ratio, cpu, more = self.ratio, self.cpu_ratio, self.marginal_ratio
        return [
            *table,
            "",
            f"- the same class of {self.submissions}: {ratio:.0f} times faster with start-up, "
            f"{cpu:.0f} times less processor time",
            f"- one more submission costs {1000 * slope:.0f} ms on {self.cores} cores: {more:.0f} "
            "times faster per submission (the line through all runs)",
            f"- start-up {max(0.0, start):.1f} s; overhead beyond the student's own computing "
            f"{self.overhead_ms:.0f} ms of a worker per submission",
            f"- memory of a child that it shares with nobody: {self.memory_mb_per_child:.0f} MB",
        ]


def _median(runs: list[Timing], name: str = "seconds") -> float:
    return statistics.median(getattr(each, name) for each in runs)


def _row(name: str, runs: list[Timing]) -> str:
    seconds, size = _median(runs), runs[0].submissions
    spread = f"{min(each.seconds for each in runs):.1f} to {max(each.seconds for each in runs):.1f}"
    cells = [
        name,
        str(size),
        str(len(runs)),
        f"{seconds:.1f} ({spread})",
        f"{1000 * seconds / size:.0f} ms",
        f"{_median(runs, 'cpu_seconds'):.1f}",
        f"{max(each.coordinator_mb for each in runs):.0f} MB",
    ]
    return f"| {' | '.join(cells)} |"


def main(
    unit: str = "01",
    students: int = 20,
    factors: tuple[int, ...] = FACTORS,
    repeats: int = REPEATS,
    workers: int | None = None,
    say: Callable[[str], None] = lambda line: None,
    course: Course | None = None,
) -> Report:
    """Grade a class with both engines, and the same submissions several times over with this one.

    The class is simulated, or handed in to the `course` that is given.
    """
    cores = workers or os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        root = Path(folder)
        if course is None:
            say("releasing and simulating")
            base = _class(root / "base", unit, students)
        else:
            base = _copy(course, root / "base")
        name = base.unit(unit).name
        students = len(chosen_students(base, name, None))
        report = Report(name, cores)
        classes = {factor: _larger(base, root / str(factor), name, factor) for factor in factors}
        for turn in range(1, repeats + 1):
            say(f"stock nbgrader, {students} submissions, {turn} of {repeats}")
            report.nbgrader.append(_stock(base, root / "stock", name, students))
            for factor, course in classes.items():
                size = students * factor
                say(f"this engine, {size} submissions, {turn} of {repeats}")
                report.engine.append(_engine(course, root / "engine", name, size, cores))
        graded = _graded(next(iter(classes.values())), root / "child", name, students, cores)
        report.memory_mb_per_child, empty_cpu, own_cpu = _child(graded, name)
        own_ms = 1000 * max(0.0, own_cpu - empty_cpu)
        report.overhead_ms = max(0.0, cores * 1000 * report.line[1] - own_ms)
    return report


def _class(root: Path, unit: str, students: int) -> Course:
    from autograder.authoring.release import new_course, release
    from autograder.authoring.simulate import simulate
    from autograder.grading import rehearsal

    course = new_course(root)
    name = course.unit(unit).name
    release(course, name)
    rehearsal.prepare(course, name)  # as the command does
    simulate(course, name, students, accidents=False)
    return course


def _copy(course: Course, root: Path) -> Course:
    """A course without what was graded; UserError if the copy would write into the course."""
    done = {course.autograded.name, course.feedback.name, "runs", "pages", "backups", "export"}

    def left_out(folder: str, names: list[str]) -> set[str]:
        return done & set(names) if Path(folder) == course.root else set()

    shutil.copytree(course.root, root, ignore=left_out)
    copy = Course.find(root)
    if not str(copy.submitted).startswith(str(root)) or str(root) not in copy.gradebook_url:
        raise UserError(
            "nbgrader_config.py names absolute folders or a gradebook elsewhere, which a benchmark "
            "would write to: take those lines out of a copy of the course, and run it there"
        )
    return copy


def _larger(base: Course, root: Path, unit: str, factor: int) -> Course:
    """The same class `factor` times over, under other names; each file is another one, so that
    each submission gets its own secret cases."""
    shutil.copytree(base.root, root)
    larger = Course.find(root)
    for number in range(1, factor):
        for student in base.students(unit):
            twin = larger.submission(f"{student}x{number}", unit)
            shutil.copytree(base.submission(student, unit), twin)
            for notebook in twin.glob("*.ipynb"):
                notebook.write_bytes(notebook.read_bytes() + b"\n" * number)
    return larger


def _fresh(course: Course, root: Path) -> Course:
    """A copy to be graded: every run starts with an empty gradebook."""
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(course.root, root)
    return Course.find(root)


def _stock(course: Course, root: Path, unit: str, students: int) -> Timing:
    """`nbgrader autograde`, as its users run it."""
    command = [sys.executable, "-m", "nbgrader", "autograde", unit, "--create"]
    return _timed(students, command, _fresh(course, root), {"COURSE_SEED": SEED})


def _engine(course: Course, root: Path, unit: str, students: int, workers: int) -> Timing:
    """`autograder grade`, as its users run it."""
    from autograder.grading import results

    copy = _fresh(course, root)
    options = ["--workers", str(workers), "--min-level", "0", "--json"]
    command = [sys.executable, "-m", "autograder.cli", "--course", str(copy.root), "grade", unit]
    timing = _timed(students, [*command, *options], copy, {})
    found = [results.read(copy.root, unit, student) for student in copy.students(unit)]
    # workers may not be children of the command
    judging = sum(result.judge_seconds for result in found if result is not None)
    return replace(timing, cpu_seconds=max(timing.cpu_seconds, judging))


def _graded(course: Course, root: Path, unit: str, students: int, workers: int) -> Course:
    _engine(course, root, unit, students, workers)
    return Course.find(root)


def _timed(
    submissions: int, command: list[str], course: Course, variables: dict[str, str]
) -> Timing:
    """Run a command to its end; in a class of real people some submissions may be broken."""
    environment = {**os.environ, **variables, "PYTHONWARNINGS": "ignore"}
    environment["PATH"] = (
        # nbgrader calls alembic by name
        f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"
    )
    with tempfile.TemporaryFile() as log:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=course.root, env=environment, stdout=log, stderr=log
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in ((0, 1) if course.foreign else (0,)):
            log.seek(0)
            raise RuntimeError(
                f"{' '.join(command)} failed: {log.read()[-800:].decode(errors='replace')}"
            )
    return Timing(submissions, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def _cells(course: Course, unit: str) -> list[str]:
    """The code of the first source notebook, without what is checked outside."""
    folder = course.solutions / unit
    if isinstance(course, AnyCourse):
        folder = course.folder("source", ".", unit)
    path = min(folder.glob("*.ipynb"))
    return [code for code in code_of(path.read_bytes()) if "check(" not in code]


def _child(course: Course, unit: str) -> tuple[float, float, float]:
    """Memory of a child that nobody shares after a submission has run, processor time of an empty
    child, and of a typical one.
    """
    from autograder.grading import results
    from autograder.grading.launch import open_sandbox
    from autograder.sandbox.orders import Order

    limits = course.settings.limits
    cells = _cells(course, unit)
    modules = preloads(cells) if course.foreign else None
    with open_sandbox(unit, 0, modules=modules)[0] as sandbox:
        with sandbox.launcher.launch(limits) as child:
            empty = child.close().cpu_seconds
        with sandbox.launcher.launch(limits) as child:
            for code in cells:
                child.order("cell", Order(limits.cell_seconds), {"code": code})
            lines = Path(f"/proc/{child.tree.pid}/smaps_rollup").read_text().splitlines()
            own = sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024
    found = [
        result
        for student in course.students(unit)
        if (result := results.read(course.root, unit, student)) is not None
    ]
    return own, empty, sum(result.cpu_seconds for result in found) / max(1, len(found))
