"""The command that gives grades out."""

from pathlib import Path
from typing import Any

import click

from autograder import fit, outside
from autograder.cli.shared import FILE, course_of, main, say
from autograder.course import Course
from autograder.errors import UserError


@main.command()
@click.argument("unit", required=False)
@click.option(
    "--to",
    type=click.Choice(["canvas", "moodle", "csv"]),
    default="csv",
    show_default=True,
    help="Whose format.",
)
@click.option(
    "--worksheet",
    type=FILE,
    help="The table that the platform gave, to be filled in; Moodle needs it.",
)
@click.option(
    "--roster",
    type=FILE,
    help="CSV with a column student, and others by which students are called (default:"
    " students.csv).",
)
@click.option("--title", help="What the platform calls the assignment (default: the unit's name).")
@click.option("--changed", is_flag=True, help="Only what differs from the last export.")
@click.pass_context
def export(
    ctx: click.Context,
    unit: str | None,
    to: str,
    worksheet: Path | None,
    roster: Path | None,
    title: str | None,
    changed: bool,
) -> None:
    """Write the final points of UNIT for a platform, and its feedback pages in a zip, to
    export/UNIT; without UNIT, of every unit that is graded, and the totals of the course."""
    from autograder.points.export import export as export_unit
    from autograder.points.export import export_total
    from autograder.points.finals import graded_units, has_gradebook, settle

    course = course_of(ctx)
    given = (worksheet, roster, title, changed)
    only_total = unit is None and (worksheet or title or to == "moodle")
    names = [course.unit(unit).name] if unit else [] if only_total else graded_units(course)
    if not names and not only_total:
        raise UserError("nobody is graded yet: run `autograder grade UNIT` first")
    for name in graded_units(course) if has_gradebook(course) else ():
        if unit is None or name in names:
            fit.check(course, name)
    for name in names:
        settle(course, name)
        show_exported(course, f"grades of {name}", export_unit(course, name, to, *given))
    if unit is None:
        show_exported(course, "totals", export_total(course, to, *given))


def show_exported(course: Course, what: str, result: Any) -> None:
    click.echo(f"{result.grades} {what}")
    for path in result.files:
        click.echo(f"wrote {path.relative_to(course.root)}")
    for note in result.notes:
        say(outside.line(note))
