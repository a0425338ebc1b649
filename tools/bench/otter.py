"""The same class graded by stock nbgrader, by otter-grader and by this engine: seconds, points that
nobody earned, runs that had to be ended, students lost: `python -m tools.bench.otter [STUDENTS]
[--attacks N] [--json]`.

Otter is installed by pip into its own environment and run its own way without containers: one
`otter run SUBMISSION -a autograder.zip` per submission, one after the other, in this machine's
Python. Its test files call the same judge as the others; each is ten tests, since Otter gives a
question's points by the share of tests that pass. The two engines without walls run in a pid
namespace, and only attacks that harm no machine are handed in: forgeries, and programs that end,
hang or crash.
"""

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

from autograder.authoring import attempts as bank
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.points.scores import cell_scores
from course_utils import exercises
from tests.autograder import classroom
from tests.autograder.classroom import UNIT
from tests.hostile.suite import Program, programs

SEED = "bench"
SECONDS = 10  # that a cell may take
PATIENCE = 120  # seconds: Otter has no limit, so a run that takes longer is ended from outside
HARMLESS = (
    *("exit", "exit_when_called", "endless_call", "endless_loop", "input", "kill_self"),
    *("segfault", "swallow_interrupt", "slow_in_c", "recursion"),
)
WITHOUT_WALLS = ("unshare", "--pid", "--mount", "--ipc", "--fork", "--kill-child", "--mount-proc")
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


def attacks() -> list[Program]:
    """Every kind of forgery, then every way to end or to hang; `measure` may take fewer."""
    family = [each for each in programs() if each.path.parent.name == "interpreter"]
    return [*(each for each in programs() if each.path.stem in HARMLESS), *family]


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


def with_this_engine(course: Course, _: Path) -> Graded:
    began = time.perf_counter()
    command = [sys.executable, "-m", "autograder.cli", "--course", str(course.root), "grade", UNIT]
    subprocess.run(command, env=environment(), capture_output=True, check=False)
    return Graded("this engine", time.perf_counter() - began, points(course))


def with_nbgrader(course: Course, _: Path) -> Graded:
    """`nbgrader autograde UNIT`, with a limit for each cell."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "nbgrader", "autograde", UNIT, "--create", "--force"]
    subprocess.run(
        [*WITHOUT_WALLS, *command, f"--Execute.timeout={SECONDS}"],
        cwd=course.root,
        env=environment(),
        capture_output=True,
        check=False,
    )
    return Graded("nbgrader autograde", time.perf_counter() - began, points(course))


def with_otter(course: Course, folder: Path) -> Graded:
    """`otter run` for each submission; it has no time limit, so that whoever hangs is ended."""
    python = otter_environment(folder / "otter")
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
        try:
            subprocess.run(
                [*WITHOUT_WALLS, *command],
                env=told,
                capture_output=True,
                check=False,
                timeout=PATIENCE,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            killed += 1
        if (result := output / "results.json").is_file():
            scores[student] = otter_points(json.loads(result.read_text()))
    return Graded("otter run", time.perf_counter() - began, scores, killed)


def otter_environment(folder: Path) -> Path:
    """Otter in an environment of its own, on top of the packages of this one."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    site = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    command = [str(python), "-m", "pip", "install", "-q", "otter-grader[grading]"]
    subprocess.run(command, check=True, capture_output=True)
    below = [sysconfig.get_path("purelib"), str(SOURCE_TREE)]
    Path(site, "below.pth").write_text("\n".join(below))
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
    graded: Graded, honest: list[str], hostile: list[Program], reference: Scores
) -> dict[str, object]:
    """Wrong points: beyond what an attack deserves, or other than the reference for the honest."""
    stolen = [
        name_of(program)
        for program in hostile
        if graded.scores.get(name_of(program), {}).get("softmax", 0.0) > expected(program) + 1e-6
    ]
    missing = [name for name in honest if name not in graded.scores]
    lost = [name_of(each) for each in hostile if name_of(each) not in graded.scores]
    different = [
        name
        for name in honest
        if name in graded.scores
        and any(
            abs(graded.scores[name].get(exercise, 0.0) - value) > 0.05
            for exercise, value in reference[name].items()
        )
    ]
    return {
        "engine": graded.engine,
        "seconds": round(graded.seconds, 1),
        "honest_different": len(different),
        "honest_lost": len(missing),
        "attacks_with_points": len(stolen),
        "attacks_without_a_grade": len(lost),
        "ended_from_outside": graded.killed,
        "successful": stolen,
    }


def measure(students: int, number: int | None = None) -> dict[str, Any]:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        raise UserError(
            "two of the engines have no walls: run this as root on Linux, so that attacks can be "
            "put into a pid namespace"
        )
    engines: list[Callable[[Course, Path], Graded]] = [with_this_engine, with_nbgrader, with_otter]
    graded, hostile = [], attacks()[:number]
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        base = classroom.make(Path(name) / "base", f"[limits]\ncell_seconds = {SECONDS}\n")
        honest = hand_in(base, students, hostile)
        for engine in engines:
            folder = Path(name) / engine.__name__
            folder.mkdir()
            course = classroom.clone(base, folder / "course")
            graded.append(engine(course, folder))
    reference = next(each for each in graded if each.engine == "nbgrader autograde").scores
    rows = [summary(each, honest, hostile, reference) for each in graded]
    return {"students": students, "attacks": len(hostile), "engines": rows}


def table(found: dict[str, Any]) -> list[str]:
    """One row per engine, for a page."""
    columns = {
        "engine": "engine",
        "seconds": "seconds",
        "attacks_with_points": "attacks that got points",
        "honest_different": "honest with other points",
        "ended_from_outside": "runs stopped from outside",
        "attacks_without_a_grade": "attackers without a grade",
        "honest_lost": "honest students lost",
    }
    return [
        f"{found['students']} honest submissions, {found['attacks']} attacks",
        "",
        f"| {' | '.join(columns.values())} |",
        f"|---|{'---:|' * (len(columns) - 1)}",
        *(f"| {' | '.join(str(row[name]) for name in columns)} |" for row in found["engines"]),
    ]


@click.command()
@click.argument("students", default=30)
@click.option("--attacks", "number", type=int, help="So many attacks only; else all.")
@click.option("--json", "as_json", is_flag=True, help="Print everything that was measured.")
def main(students: int, number: int | None, as_json: bool) -> None:
    """Grade STUDENTS honest submissions and the same attacks with three engines."""
    found = measure(students, number)
    if as_json:
        print(json.dumps(found))
        return
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
