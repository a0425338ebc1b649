"""The same class graded by stock nbgrader, by otter-grader and by this engine: seconds, points that
nobody earned, runs that had to be ended, students lost: `python -m tools.bench.otter [STUDENTS]
[--slow N] [--attacks N] [--json]`.

Otter is installed by pip into its own environment (build/otter, made once) and run its own way
without containers: one `otter run SUBMISSION -a autograder.zip` per submission, one after the
other, in this machine's Python. Its test files call the same judge as the others; each is ten
tests, since Otter gives a question's points by the share of tests that pass.

All three grade the same honest students and the same attacks; the two others pay for a kernel per
submission, and `--slow N` gives them only the first N of the honest ones. They have no walls: so
they run in a pid namespace, with limits on memory, processor time and files, and only attacks that
harm no machine are handed in: forgeries, and programs that end, hang or crash.
"""

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import psutil

from autograder.authoring import attempts as bank
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.points.scores import cell_scores
from course_utils import exercises
from tests.autograder import classroom
from tests.autograder.classroom import UNIT
from tests.hostile.suite import Program, programs

SEED = "bench"
SECONDS = 60  # that a cell may take
PROCESSOR = 45  # seconds for one submission: Otter has no limit of its own
WAITING = 120  # seconds in which a run that goes on uses at least one of the processor
OTTER = "otter-grader[grading]==7.0.0"
ENVIRONMENT = SOURCE_TREE / "build" / "otter"
HARMLESS = (
    *("exit", "exit_when_called", "endless_call", "endless_loop", "input", "kill_self"),
    *("segfault", "swallow_interrupt", "slow_in_c", "recursion"),
)
BOUNDS = ("prlimit", f"--data={4 << 30}", f"--fsize={256 << 20}", "--core=0")
WITHOUT_WALLS = (
    *BOUNDS,
    *("unshare", "--pid", "--mount", "--ipc", "--fork", "--kill-child", "--mount-proc"),
)
STEPS = 10  # otter knows no partial credit: a question is this many tests of equal worth
OTTER_TEST = """
OK_FORMAT = False
import contextlib, io
from otter.test_files import test_case
name, points = {name!r}, {points!r}
_share = []

def _judged(env):
    if not _share:
        from course_utils import check
        with contextlib.redirect_stdout(io.StringIO()):
            result = check(env.get({name!r}), {name!r})
        _share.append(getattr(result, "points", 0.0) / {points!r})
    return _share[0]
"""
OTTER_CASE = """
@test_case()
def test_{step}(env):
    assert _judged(env) >= {step} / {steps} - 1e-6
"""
Scores = dict[str, dict[str, float]]  # student -> exercise -> points


@dataclass(frozen=True)
class Graded:
    """What one engine made of the class."""

    engine: str
    seconds: float
    scores: Scores
    killed: int = 0  # submissions that had to be ended from outside


def name_of(program: Program) -> str:
    return f"hostile-{program.name}"


def attacks(number: int) -> list[Program]:
    """So many: half of them ways to end, to crash or to hang, half forgeries."""
    rough = [each for each in programs() if each.path.stem in HARMLESS]
    forged = [each for each in programs() if each.path.parent.name == "interpreter"]
    return [*spread(rough, number // 2), *spread(forged, number - number // 2)]


def spread(found: list[Program], number: int) -> list[Program]:
    """So many of them, from the first to the last."""
    chosen = min(number, len(found))
    return [found[i * len(found) // chosen] for i in range(chosen)]


def hand_in(course: Course, students: int, hostile: list[Program]) -> list[str]:
    """Honest submissions, with answers of the bank; then one for each attack."""
    draw = random.Random(SEED)
    right = classroom.answers()
    answers: dict[str, list[str]] = {}
    for attempt in bank.attempts(exercises.unit(UNIT)):
        if attempt.exercise in right:
            answers.setdefault(attempt.exercise, []).append(attempt.source)
    honest = [f"honest-{number:03d}" for number in range(1, students + 1)]
    for student in honest:
        chosen = {name: draw.choice(sources) for name, sources in answers.items()}
        classroom.hand_in(course, student, classroom.notebook(course, right | chosen))
    values = {"MARK": "x", "PID": "1", "STUDENT": "x", "COURSE": "/none", "REPO": "/none"}
    for program in hostile:
        source = program.source(values)
        made = classroom.notebook(course, right | {"softmax": source})
        classroom.hand_in(course, name_of(program), made)
    return honest


def environment() -> dict[str, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return {**os.environ, "COURSE_SEED": SEED, "PYTHONWARNINGS": "ignore", "PATH": path}


def points(course: Course) -> Scores:
    """What the gradebook says, by exercise."""
    return {
        student: {
            exercise.name: float(cells.get(f"test_{exercise.name}") or 0.0)
            for exercise in exercises.unit(UNIT).exercises
        }
        for student, cells in cell_scores(course, UNIT).items()
    }


def first(course: Course, students: int) -> None:
    """Keep the first of the honest students and every attack."""
    for folder in sorted(course.submitted.glob("honest-*"))[students:]:
        shutil.rmtree(folder)


def with_this_engine(course: Course, _: Path) -> Graded:
    began = time.perf_counter()
    command = [sys.executable, "-m", "autograder.cli", "--course", str(course.root), "grade", UNIT]
    subprocess.run(command, env=environment(), capture_output=True, check=False)
    return Graded("this engine", time.perf_counter() - began, points(course))


def with_nbgrader(course: Course, _: Path) -> Graded:
    """`nbgrader autograde UNIT`, with a limit for each cell."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "nbgrader", "autograde", UNIT, "--create", "--force"]
    submissions = len(list(course.submitted.iterdir()))
    command += [f"--Execute.timeout={SECONDS}"]
    killed = ended(command, environment(), course.root, submissions)
    return Graded("nbgrader autograde", time.perf_counter() - began, points(course), killed)


def ended(command: list[str], told: dict[str, str], folder: Path, submissions: int = 1) -> int:
    """Run an engine without walls; 1 if it had to be ended from outside.

    A busy machine makes everybody slow: what counts is processor time, too much of it or none.
    """
    process = psutil.Popen(
        [*WITHOUT_WALLS, *command],
        cwd=folder,
        env=told,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    before, moved = 0.0, time.monotonic()
    while process.poll() is None:
        now = used(process)
        if now > before + 1:
            before, moved = now, time.monotonic()
        if now > submissions * PROCESSOR or time.monotonic() > moved + WAITING:
            process.kill()  # and with it everything in its pid namespace
            process.wait()
            return 1
        time.sleep(0.2)
    return 0


def used(process: psutil.Process) -> float:
    """Seconds of processor time of a process and everything below it, dead or alive."""
    total = 0.0
    with contextlib.suppress(psutil.Error):
        for each in [process, *process.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                times = each.cpu_times()
                total += times.user + times.system
                total += times.children_user + times.children_system
    return total


def with_otter(course: Course, folder: Path) -> Graded:
    """`otter run` for each submission; it has no time limit, so that whoever hangs is ended."""
    python = otter_environment()
    tests = otter_tests(folder / "autograder.zip")
    scores: Scores = {}
    killed = 0
    began = time.perf_counter()
    for submission in sorted(course.submitted.glob(f"*/{UNIT}/{UNIT}.ipynb")):
        student = submission.parent.parent.name
        output = folder / "results" / student
        output.mkdir(parents=True)
        command = [str(python), "-m", "otter", "run", str(submission), "-a", str(tests)]
        command += ["-o", str(output), "--no-logo"]
        told = {**environment(), "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
        killed += ended(command, told, output)
        if (result := output / "results.json").is_file():
            scores[student] = otter_points(json.loads(result.read_text()))
    return Graded("otter run", time.perf_counter() - began, scores, killed)


def otter_environment() -> Path:
    """Otter in an environment of its own, on top of the packages of this one."""
    python, marker = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "version"
    if marker.is_file() and marker.read_text() == OTTER:
        return python
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    venv.create(ENVIRONMENT, with_pip=True)
    command = [str(python), "-m", "pip", "install", "-q"]
    command += ["--constraint", str(SOURCE_TREE / "constraints.txt"), OTTER]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    base = str(ENVIRONMENT)
    site = sysconfig.get_path("purelib", vars={"base": base, "platbase": base})
    below = [sysconfig.get_path("purelib"), str(SOURCE_TREE)]
    Path(site, "below.pth").write_text("\n".join(below))
    marker.write_text(OTTER)
    return python


def otter_tests(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("otter_config.json", json.dumps({"lang": "python", "pdf": False}))
        for exercise in exercises.unit(UNIT).exercises:
            text = OTTER_TEST.format(name=exercise.name, points=float(exercise.points))
            for step in range(1, STEPS + 1):
                text += OTTER_CASE.format(step=step, steps=STEPS)
            packed.writestr(f"tests/{exercise.name}.py", text)
    return path


def otter_points(result: dict[str, list[dict[str, object]]]) -> dict[str, float]:
    known = {exercise.name for exercise in exercises.unit(UNIT).exercises}
    return {
        str(test["name"]): float(str(test.get("score", 0.0)))
        for test in result["tests"]
        if test["name"] in known
    }


def expected(program: Program) -> float:
    said = program.head.get("expect", "0")
    return float(said.split()[-1])


def summary(
    graded: Graded,
    handed_in: list[str],
    honest: list[str],
    hostile: list[Program],
    reference: Scores,
) -> dict[str, object]:
    """Wrong points: beyond what an attack deserves, or other than the reference for the honest."""
    stolen = [
        name_of(program)
        for program in hostile
        if graded.scores.get(name_of(program), {}).get("softmax", 0.0) > expected(program) + 1e-6
    ]
    honest = [name for name in honest if name in handed_in]
    missing = [name for name in honest if name not in graded.scores]
    lost = [name_of(each) for each in hostile if name_of(each) not in graded.scores]
    different = [
        name
        for name in honest
        if name in graded.scores
        and name in reference
        and any(
            abs(graded.scores[name].get(exercise, 0.0) - value) > 0.05
            for exercise, value in reference[name].items()
        )
    ]
    return {
        "engine": graded.engine,
        "honest": len(honest),
        "attacks": len(hostile),
        "seconds": round(graded.seconds, 1),
        "each": round(graded.seconds / (len(honest) + len(hostile)), 1),
        "honest_different": len(different),
        "honest_lost": len(missing),
        "attacks_with_points": len(stolen),
        "attacks_without_a_grade": len(lost),
        "ended_from_outside": graded.killed,
        "successful": stolen,
    }


def measure(students: int, slow: int, number: int) -> dict[str, Any]:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        raise UserError(
            "two of the engines have no walls: run this as root on Linux, so that attacks can be "
            "put into a pid namespace"
        )
    engines: list[Callable[[Course, Path], Graded]] = [with_this_engine, with_nbgrader, with_otter]
    graded: list[tuple[Graded, list[str]]] = []
    hostile = attacks(number)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        base = classroom.make(Path(name) / "base", f"[limits]\ncell_seconds = {SECONDS}\n")
        honest = hand_in(base, students, hostile)
        for engine in engines:
            folder = Path(name) / engine.__name__
            folder.mkdir()
            course = classroom.clone(base, folder / "course")
            if engine is not with_this_engine:
                first(course, slow)
            handed_in_here = sorted(each.name for each in course.submitted.iterdir())
            graded.append((engine(course, folder), handed_in_here))
            click.echo(f"{engine.__name__}: {graded[-1][0].seconds:.0f} s", err=True)
    reference = next(each for each, _ in graded if each.engine == "nbgrader autograde").scores
    rows = [summary(each, names, honest, hostile, reference) for each, names in graded]
    return {
        "students": students,
        "attacks": len(hostile),
        "otter": OTTER,
        "processor_seconds": PROCESSOR,
        "waiting_seconds": WAITING,
        "engines": rows,
    }


def table(found: dict[str, Any]) -> list[str]:
    """One row per engine, for a page."""
    columns = {
        "engine": "engine",
        "honest": "honest",
        "attacks": "attacks",
        "seconds": "seconds",
        "each": "seconds each",
        "attacks_with_points": "attacks that got points",
        "honest_different": "honest with other points than by nbgrader",
        "ended_from_outside": "runs stopped from outside",
        "attacks_without_a_grade": "attackers without a grade",
        "honest_lost": "honest students lost",
    }
    return [
        f"| {' | '.join(columns.values())} |",
        f"|---|{'---:|' * (len(columns) - 1)}",
        *(f"| {' | '.join(str(row[name]) for name in columns)} |" for row in found["engines"]),
    ]


@click.command()
@click.argument("students", default=30)
@click.option("--slow", type=int, help="So many of them for the two other engines (default: all).")
@click.option("--attacks", "number", default=10, help="So many attacks for all three.")
@click.option("--json", "as_json", is_flag=True, help="Print everything that was measured.")
def main(students: int, slow: int | None, number: int, as_json: bool) -> None:
    """Grade STUDENTS honest submissions and the same attacks with three engines."""
    found = measure(students, students if slow is None else slow, number)
    if as_json:
        print(json.dumps(found))
        return
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
