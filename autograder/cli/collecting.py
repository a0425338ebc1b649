"""The command that takes submissions in."""

from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from autograder.cli.shared import FILE, course_of, main, out, print_json


@main.command()
@click.argument("unit")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "layout",
    type=click.Choice(["canvas", "moodle", "repos", "folder", "repositories"]),
    metavar="[canvas|moodle|repos|folder]",
    help="Who named the files (default: found out).",
)
@click.option(
    "--roster",
    type=FILE,
    help="CSV with a column student, and others by which students are called (default:"
    " students.csv).",
)
@click.option(
    "--map",
    "--mapping",
    "mapping",
    type=FILE,
    help="CSV with the columns id and student: how a platform calls whom.",
)
@click.option(
    "--times",
    type=FILE,
    help="When it was handed in: CSV with the columns student and time, Moodle's grading worksheet"
    " or log, or Canvas' submissions as JSON.",
)
@click.option(
    "--extensions",
    type=FILE,
    help="CSV with the columns student and due, beside [extensions] of course.toml.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def collect(
    ctx: click.Context,
    unit: str,
    source: Path,
    layout: str | None,
    roster: Path | None,
    mapping: Path | None,
    times: Path | None,
    extensions: Path | None,
    as_json: bool,
) -> None:
    """Take in the submissions of UNIT from SOURCE, a zip or folder; exit code 1 if some of them
    need a person."""
    from autograder.collecting.collect import collect as take_in

    course = course_of(ctx)
    result = take_in(
        course, course.unit(unit).name, source, layout, roster, mapping, times, extensions
    )
    if as_json:
        print_json(result.as_json())
    else:
        show_collected(result)
    ctx.exit(0 if result.good else 1)


def show_collected(result: Any) -> None:
    table = Table(
        "student",
        "",
        "handed in",
        "what was mended, left out or is to be checked",
        title=result.unit,
        title_justify="left",
    )
    for each in result.students:
        said = each.words
        shown = said[:3] + (
            [f"… and {len(said) - 3} more: inbox/{result.unit}/report.json"]
            if len(said) > 3
            else []
        )
        table.add_row(
            Text(each.student),
            each.status,
            handed_in(each),
            Text("\n".join(shown)),
        )
    out.print(table)
    repaired = sum(bool(each.repairs) for each in result.students)
    counts = [
        f"{result.count(*names)} {label}"
        for label, names in COLLECTED.items()
        if result.count(*names)
    ]
    out.print(f"from {result.layout}: {', '.join(counts)}; {repaired} repaired", highlight=False)
    for stray in result.strays:
        out.print(f"  left out: {stray}", markup=False, highlight=False, soft_wrap=True)
    for note in result.notes:
        out.print(note, markup=False, highlight=False, soft_wrap=True)


def handed_in(each: Any) -> str:
    """When, and how sure that is."""
    if each.status in ("missing", "refused"):
        return ""
    if each.source == "mark":
        return "LATE, unknown by how much" if each.late else "marked LATE, extended"
    when = each.time.removesuffix(" UTC") or "in time" * (each.source == "unmarked") or "unknown"
    unsure = "" if each.came.sure or not each.time else " (by the file)"
    return f"{when}{unsure}{' LATE' if each.late else ''}"


COLLECTED = {
    "taken": ("taken",),
    "replaced": ("replaced",),
    "unchanged": ("unchanged", "older"),
    "refused": ("refused",),
    "missing": ("missing",),
}
