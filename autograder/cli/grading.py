"""Commands that grade and explain: grade, feedback, report, late, formgrader."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from autograder import outside
from autograder.cli.shared import bar, course_of, main, out, print_json, say
from autograder.course import Course
from autograder.errors import NothingGraded, UserError


@main.command()
@click.argument("unit")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Submissions graded at once (default: the number of cores).",
)
@click.option(
    "--engine",
    type=click.Choice(["sandbox", "stock", "nbgrader"]),
    default="sandbox",
    show_default=True,
    help="stock (or nbgrader): nbgrader's own autograde, slow and without walls.",
)
@click.option(
    "--min-level",
    type=click.IntRange(0, 3),
    default=3,
    show_default=True,
    help="The sandbox level below which nothing is graded.",
)
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Grade on the Dask cluster of this scheduler, for instance tls://HOST:8786.",
)
@click.option("--student", help="Only this student.")
@click.option("--force", is_flag=True, help="Grade again what is graded already.")
@click.option(
    "--changed",
    is_flag=True,
    help="After an exercise was mended: only those whom it concerns, and nobody loses points.",
)
@click.option(
    "--never-lower/--may-lower",
    default=None,
    help="Whether points stay where a regrade of the same answer would take some (default:"
    " only with --changed).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def grade(
    ctx: click.Context,
    unit: str,
    workers: int | None,
    engine: str,
    min_level: int,
    dask: str | None,
    student: str | None,
    force: bool,
    changed: bool,
    never_lower: bool | None,
    as_json: bool,
) -> None:
    """Grade the submissions of UNIT; exit code 1 if some of them need a person."""
    from autograder.grading import unchanged

    course = course_of(ctx)
    engine = "nbgrader" if engine == "stock" else engine
    check_options(engine, workers, dask, student, changed)
    name = course.unit_name(unit)
    usual = engine == "sandbox" and not any((dask, student, force, changed, never_lower))
    if usual and (said := unchanged.last(course, name)) is not None:
        say_again(course, name, said, as_json)
        ctx.exit(1 if said.problems else 0)
    from autograder import fit
    from autograder.points.facts import Ledger

    seen = unchanged.look(course)
    if engine == "sandbox" and not dask:
        begin_early(course, name, force)
    if course.students(name) and not course.foreign:
        fit.check_files(course, name)
    only = whom_it_concerns(course, name) if changed else None
    before = Before(course, name)
    total = 1 if student else len(course.students(name) if only is None else only)
    progress, advance = bar(f"grading {name}", total)
    with progress:
        if engine == "nbgrader":
            from autograder.grading import with_nbgrader as stock

            summary = stock.grade(course, name, student, force, advance)
        else:
            from autograder.grading import run

            with cluster(dask) as pool:
                summary = run.grade(
                    course,
                    name,
                    workers=workers,
                    min_level=min_level,
                    student=student,
                    only=only,
                    force=force,
                    advance=advance,
                    say=say,
                    pool=pool,
                )
    differ = before.compare(changed if never_lower is None else never_lower)
    if student is None:
        remember_versions(course, name, changed or bool(summary.graded))
    points_as_seen = unchanged.look(course)
    table = scores(course, name, student)
    if as_json:
        print_json(summary.as_json())
    else:
        show_table(name, *table)
        show_summary(summary, differ, Ledger(course))
    if engine == "sandbox":
        new = bool(summary.graded or differ) or not pages_are_current(course, name)
        show_pages(course, name, quiet=as_json, anew=new, changed=bool(differ))
    if usual:
        unchanged.keep(course, seen, points_as_seen, summary, table)
    ctx.exit(1 if summary.problems else 0)


def check_options(
    engine: str, workers: int | None, dask: str | None, student: str | None, changed: bool
) -> None:
    """UserError if two options do not go together."""
    if dask and (engine == "nbgrader" or workers):
        raise UserError(
            "--dask goes with neither --engine nbgrader nor --workers: the cluster has its own"
            " workers"
        )
    if changed and (engine == "nbgrader" or student):
        raise UserError("--changed goes with neither --engine nbgrader nor --student")


@contextlib.contextmanager
def cluster(address: str | None) -> Iterator[Any]:
    """The cluster behind an address, or None: this machine."""
    if address is None:
        yield None
        return
    from autograder.grading.cluster import Cluster

    with contextlib.closing(Cluster(address, say)) as pool:
        yield pool


def begin_early(course: Course, unit: str, force: bool) -> None:
    """Start the warm process if something seems to be new: it imports torch while this process
    does other things."""
    from autograder.grading.run import likely
    from autograder.sandbox.warm import start_early

    if not course.foreign and (force or likely(course, unit)):
        start_early()


def remember_versions(course: Course, unit: str, graded: bool) -> None:
    """By what code everybody is graded now; where nobody was, that is known already."""
    from autograder.points import regrade

    if graded or not regrade.remembered(course, unit):
        regrade.remember(course, unit)


def whom_it_concerns(course: Course, unit: str) -> set[str]:
    """The students to be graded again because an exercise has changed."""
    from autograder.points import regrade

    exercises = regrade.changed(course, unit)
    if not exercises:
        raise UserError(f"no exercise of {unit} has changed since it was graded")
    found = set(regrade.concerned(course, unit, exercises))
    say(f"changed: {', '.join(exercises)}; {len(found)} students have begun it")
    return found


class Before:
    """Points and answers as they were before a run, to say afterwards what it changed."""

    def __init__(self, course: Course, unit: str) -> None:
        from autograder.grading import answers
        from autograder.points import changes
        from autograder.points.scores import cell_scores

        self.course, self.unit = course, unit
        self.points = changes.points(course, unit)
        self.scores = cell_scores(course, unit) if self.points else {}
        self.answers = {each: answers.stored(course, unit, each) for each in self.points}

    def compare(self, never_lower: bool) -> list[Any]:
        from autograder.points import changes, regrade
        from autograder.points.finals import settle

        kept = (
            regrade.keep(self.course, self.unit, self.scores, self.answers) if never_lower else {}
        )
        settle(self.course, self.unit)
        return changes.remember(self.course, self.unit, self.points, "graded again", kept)


def pages_are_current(course: Course, unit: str) -> bool:
    """Are the pages newer than all that they show? A gradebook on a server does not tell."""
    from autograder import pages
    from autograder.grading.backup import sqlite_file

    written = course.root / "pages" / "report.html"
    if (gradebook := sqlite_file(course)) is None or not written.is_file():
        return False
    shown = [gradebook, *(path for path in course.root.glob("*") if path.is_file())]
    shown += (course.root / "runs" / "results" / unit).glob("*.json")
    shown += Path(pages.__file__).parent.rglob("*.*")
    return max(path.stat().st_mtime for path in shown) <= written.stat().st_mtime


def show_pages(
    course: Course, unit: str, quiet: bool = False, anew: bool = True, changed: bool = False
) -> None:
    """Write the pages, unless they are there already, and say where they are."""
    if not anew:
        if not quiet:
            click.echo(f"the class: {course.root / 'pages' / 'report.html'}")
        return
    from autograder.pages import both

    try:
        pages, where = both.build(course, unit)
    except NothingGraded:  # who could not be graded, and why, has been said
        return
    if not quiet:
        click.echo(f"feedback: {pages[0].parent} ({len(pages)} pages)")
        click.echo(f"the class: {where}")
        if changed:
            click.echo(f"who changed and why: {where}#changes-{unit}")


@main.command()
@click.argument("unit")
@click.option("--student", help="Only this student.")
@click.pass_context
def feedback(ctx: click.Context, unit: str, student: str | None) -> None:
    """Write one page per graded submission of UNIT: what was misunderstood, and where to read
    again."""
    from autograder.pages.feedback import build

    course = course_of(ctx)
    name = course.unit(unit).name
    progress, advance = bar("writing feedback", None)
    with progress:
        pages = build(course, name, student, advance)
    click.echo(f"{len(pages)} pages in {pages[0].parent}")


@main.command()
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object instead of writing the page."
)
@click.pass_context
def report(ctx: click.Context, as_json: bool) -> None:
    """Write the page on the class: scores, misconceptions, who needs a person, answers that are
    alike; from the second unit on also the pages over the course."""
    from autograder.pages import common
    from autograder.pages import report as pages

    course = course_of(ctx)
    if as_json:
        print_json(pages.figures(course))
    else:
        click.echo(str(pages.build(course)))
        if (over := common.course_path(course)).is_file():
            click.echo(f"over the course: {over}")


def show_scores(course: Course, unit: str, student: str | None = None) -> None:
    """Final points, and what was taken off for lateness."""
    show_table(unit, *scores(course, unit, student))


def scores(
    course: Course, unit: str, student: str | None = None
) -> tuple[list[str], list[list[str]]]:
    """The columns and rows of that table."""
    from autograder.points.finals import finals

    found = [f for f in finals(course, unit).values() if f.graded and student in (None, f.student)]
    late = any(final.reason for final in found)
    columns = ["student", "score", "of", *(["late"] if late else []), "to grade by hand"]
    rows = []
    for final in found:
        off = f"-{final.points.off:g}: {final.reason}" if final.points.off else final.reason
        points = [f"{final.score:g}", f"{final.points.most:g}"]
        waiting = "yes" if final.points.waiting else ""
        rows.append([outside.line(final.student), *points, *([off] if late else []), waiting])
    return columns, rows


def show_table(unit: str, columns: list[str], rows: list[list[str]]) -> None:
    table = Table(*columns, title=unit, title_justify="left")
    for student, *cells in rows:
        table.add_row(Text(student), *cells)
    out.print(table)


def say_again(course: Course, unit: str, said: Any, as_json: bool) -> None:
    """What the last run said, where nothing has changed since."""
    from autograder.grading.results import RunSummary

    summary = RunSummary(unit, skipped=said.skipped, problems=said.problems)
    if as_json:
        print_json(summary.as_json())
        return
    show_table(unit, said.columns, said.rows)
    ledger = None
    if said.problems:
        from autograder.points.facts import Ledger

        ledger = Ledger(course)
    show_summary(summary, ledger=ledger)
    show_pages(course, unit, anew=False)


def show_summary(summary: Any, changed: Iterable[Any] = (), ledger: Any = None) -> None:
    """What a run came to, who has other points than before, and who needs a person."""
    level = f" at sandbox level {summary.level}" if summary.level is not None else ""
    counts = f"{summary.graded} graded{level}, {summary.skipped} unchanged"
    person = f"{len(summary.problems)} need a person"
    click.echo(f"{counts}, {person}, {summary.seconds:.1f} s")
    for change in changed:
        click.echo(f"  {named(ledger, change.student)}: {change.words}")
    for problem in summary.problems:
        click.echo(f"  {named(ledger, problem['student'])}: {outside.line(problem['reason'])}")


@main.command()
@click.argument("unit", required=False)
@click.pass_context
def late(ctx: click.Context, unit: str | None) -> None:
    """Who handed in late, what is known about it, and what was taken off and why."""
    from autograder.points.facts import Ledger
    from autograder.points.finals import finals, graded_units

    course = course_of(ctx)
    ledger = Ledger(course)
    table = Table("student", "unit", "handed in", "until", "points", "taken off", "why")
    for name in [course.unit_name(unit)] if unit else graded_units(course):
        for final in finals(course, name, ledger).values():
            if final.reason and final.graded:
                until = ledger.deadline(name, final.student)
                table.add_row(
                    Text(named(ledger, final.student)),
                    course.typed(name),
                    final.came.words,
                    f"{until.last:%Y-%m-%d %H:%M %Z}{' (extension)' if until.extended else ''}"
                    if until.last is not None
                    else "by nbgrader",
                    f"{final.points.earned:g}",
                    f"{final.points.off:g}",
                    final.reason,
                )
    out.print(table if table.row_count else "nobody was late, by what is known")


def named(ledger: Any, student: str) -> str:
    name = ledger.people.name(student) if ledger is not None else ""
    return outside.line(f"{name} ({student})" if name else student)


@main.command()
@click.option("--port", default=8888, show_default=True, type=click.IntRange(1, 65535))
@click.pass_context
def formgrader(ctx: click.Context, port: int) -> None:
    """Start nbgrader's formgrader on the gradebook of this course, to grade by hand."""
    from autograder.formgrader import serve

    course = course_of(ctx)
    if course.foreign:
        raise UserError("start nbgrader's formgrader as ever: `jupyter lab` in the course's folder")
    raise SystemExit(serve(course, port, say))
