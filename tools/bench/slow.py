"""What endless and slow answers cost a class: `python -m tools.bench.slow [STUDENTS]`.

The same class is graded twice: as it is, and with ten of a hundred answers that never end and five
that are right but slow. Printed are both times, their ratio, and what the odd ones got.
"""

import copy
import json
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import click

from autograder.course import Course
from autograder.points.scores import cell_scores
from tests.autograder import classroom
from tests.autograder.classroom import UNIT

ENDLESS = """
def softmax(scores, dim=-1):
    while True:
        pass
"""
SLOW = """
import time

def softmax(scores, dim=-1):
    began = time.process_time()
    while time.process_time() - began < 0.05:
        pass
"""
RIGHT = """
def softmax(scores, dim=-1):
    e = (scores - scores.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
"""


def slow_answer() -> str:
    """Right, by its own means: the library's softmax is not allowed."""
    return SLOW + "\n".join(RIGHT.strip().splitlines()[1:]) + "\n"


def odd(students: int) -> dict[str, str]:
    """Who hands in what: a tenth never ends, a twentieth is slow."""
    endless, slow = max(1, students // 10), max(1, students // 20)
    every = students // (endless + slow)
    names = [f"student{1 + every * i:03d}" for i in range(endless + slow)]
    return dict.fromkeys(names[:endless], ENDLESS) | dict.fromkeys(names[endless:], slow_answer())


def hand_in(course: Course, students: int, given: dict[str, str]) -> None:
    usual = classroom.notebook(course, classroom.answers())
    for number in range(1, students + 1):
        student = f"student{number:03d}"
        notebook = copy.deepcopy(usual)
        source = textwrap.dedent(given.get(student, RIGHT)).strip()
        classroom.named(notebook, "softmax")["source"] = f"{source}\n# {student}"
        classroom.hand_in(course, student, notebook)


def grade(course: Course) -> float:
    """Seconds of the whole command."""
    command = [sys.executable, "-m", "autograder.cli", "--course", str(course.root), "grade", UNIT]
    began = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True)
    return time.perf_counter() - began


def measure(students: int) -> dict[str, object]:
    given = odd(students)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        plain = classroom.make(Path(name) / "plain")
        mixed = classroom.clone(plain, Path(name) / "mixed")
        hand_in(plain, students, {})
        hand_in(mixed, students, given)
        without, with_them = grade(plain), grade(mixed)
        points = {
            who: cells["test_softmax"] or 0.0 for who, cells in cell_scores(mixed, UNIT).items()
        }
    return {
        "students": students,
        "endless": sum(source == ENDLESS for source in given.values()),
        "slow": sum(source != ENDLESS for source in given.values()),
        "seconds_without": round(without, 1),
        "seconds_with": round(with_them, 1),
        "ratio": round(with_them / without, 2),
        "points_of_endless": sorted({points[w] for w in given if given[w] == ENDLESS}),
        "points_of_slow": sorted({points[w] for w in given if given[w] != ENDLESS}),
        "points_of_others": sorted({points[w] for w in points if w not in given}),
    }


@click.command()
@click.argument("students", default=100)
def main(students: int) -> None:
    """Grade a class of STUDENTS with and without endless and slow answers."""
    print(json.dumps(measure(students), indent=1))


if __name__ == "__main__":
    main()
