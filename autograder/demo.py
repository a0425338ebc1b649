"""The main job in one command: release, a class of 30 simulated students, grades, and where to look."""

import shutil
import sys
import time
from pathlib import Path

import click

from autograder import cli
from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from autograder.grading import run
from autograder.release import new_course, releasable, release
from autograder.sandbox.prove import highest
from autograder.simulate import simulate

UNIT = "01_nadaraya_watson"


def main(folder: Path = SOURCE_TREE / "demo", students: int = 30) -> int:
    """Make the demo course anew in `folder`; everything in it is simulated."""
    began = time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)
    course = new_course(folder)
    for unit in releasable(course):
        release(course, unit)
    click.echo(f"released {len(releasable(course))} assignments in {course.root}")
    made = simulate(course, UNIT, students, hostile=True)
    click.echo(
        f"{len(made)} simulated students have handed in {UNIT}, {sum(m.kind not in ('honest', 'late') for m in made)} of them in trouble or up to something"
    )
    proof, _ = highest()
    level = proof.level if proof is not None else 0
    click.echo(f"the highest sandbox level that holds here is {level}")
    progress, advance = cli.bar("grading", students)
    with progress:
        summary = run.grade(course, UNIT, min_level=level, advance=advance, say=click.echo)
    cli.show_scores(course, UNIT)
    cli.show_summary(summary)
    cli.show_pages(course, UNIT)
    click.echo(f"gradebook: {course.root / 'gradebook.db'}")
    click.echo(f"done in {time.perf_counter() - began:.0f} s. Look around with: autograder --course {course.root.name} …")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"make demo: {error}")
