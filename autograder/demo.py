"""The main job in one command: release, a class of 30 simulated students, grades, and where to
look.
"""

import re
import shutil
import sys
import time
from pathlib import Path

import click

from autograder import cli
from autograder.authoring.release import new_course, releasable, release
from autograder.authoring.simulate import ATTACKS, LEAST_LEVEL, simulate
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.grading import run
from autograder.sandbox.proof import highest, reasons
from autograder.sandbox.warm import start_early

UNIT = "01_nadaraya_watson"
CELL_SECONDS = 2  # of the units' own cells none takes a second


def main(folder: Path = SOURCE_TREE / "demo", students: int = 30) -> int:
    """Make the demo course anew in `folder`; everything in it is simulated."""
    began = time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)
    course = new_course(folder)
    limit_cells(course)
    start_early()  # it imports torch while the assignments are released
    for unit in releasable(course):
        release(course, unit)
    click.echo(f"released {len(releasable(course))} assignments in {course.root}")
    proof, tried = highest()
    level = proof.level if proof is not None else 0
    click.echo(f"the highest sandbox level that holds here is {level}")
    for line in reasons(tried):
        click.echo(f"  {line}")
    made = simulate(course, UNIT, students, hostile=True, level=level)
    usual = ("honest", "late", "perfect", "untouched")
    odd = sum(each.kind not in usual for each in made)
    click.echo(
        f"{len(made)} simulated students have handed in {UNIT}, "
        f"{odd} of them in trouble or up to something"
    )
    if left_out := [name for name in ATTACKS if LEAST_LEVEL[name] > level]:
        click.echo(f"attacks that level {level} does not hold were left out: {', '.join(left_out)}")
    progress, advance = cli.bar("grading", students)
    with progress:
        summary = run.grade(course, UNIT, min_level=level, advance=advance, say=click.echo)
    cli.show_scores(course, UNIT)
    cli.show_summary(summary)
    cli.show_pages(course, UNIT)
    click.echo(f"gradebook: {course.root / 'gradebook.db'}")
    click.echo(
        f"done in {time.perf_counter() - began:.0f} s. "
        f"Look around with: autograder --course {course.root.name} …"
    )
    return 0


def limit_cells(course: Course) -> None:
    """Endless loops shall not hold up a demo: its own course.toml gives a cell less time."""
    path = course.root / "course.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        re.sub(r"(?m)^cell_seconds *= *\S+", f"cell_seconds = {CELL_SECONDS}", text),
        encoding="utf-8",
    )
    click.echo(f"in this demo a cell may take {CELL_SECONDS} s (cell_seconds in its course.toml)")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"make demo: {error}")
