"""The command line: thin, every command is a function elsewhere."""

import contextlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from autograder.course import Course
from autograder.errors import UserError

out = Console()
err = Console(stderr=True)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path)
COURSE = "The course's folder (default: the nearest one with a course.toml)."


class Commands(click.Group):
    """Turns errors that a person can do something about into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"autograder: {error}", err=True)
            ctx.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Every command takes --course behind its name too."""
        cmd.params.append(click.Option(["--course"], type=FOLDER, expose_value=False, callback=_another_course, help=COURSE))
        super().add_command(cmd, name)


def _another_course(ctx: click.Context, _: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        ctx.obj = folder


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--course", "course_dir", type=FOLDER, help=COURSE)
@click.version_option(package_name="attention-course")
@click.pass_context
def main(ctx: click.Context, course_dir: Path | None) -> None:
    """Release, grade and explain the assignments of the attention course."""
    ctx.obj = course_dir


def course_of(ctx: click.Context) -> Course:
    return Course.find(ctx.obj)


def print_json(data: Any) -> None:
    click.echo(json.dumps(data, ensure_ascii=False, default=str))


class Rate(ProgressColumn):
    """How many per second."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "")


def bar(label: str, total: int | None) -> tuple[Progress, Callable[[], None]]:
    """A progress bar on a terminal, a line every tenth elsewhere, both on standard error."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    progress = Progress(*columns, console=err, disable=not err.is_terminal)
    task = progress.add_task(label, total=total)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        progress.advance(task)
        if not err.is_terminal and total and (done % max(1, total // 10) == 0 or done == total):
            click.echo(f"{label}: {done}/{total}", err=True)

    return progress, advance


def say(line: str) -> None:
    click.echo(line, err=True)


# For authors ---------------------------------------------------------------------------------------------------------


@main.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_(as_json: bool) -> None:
    """Units, exercises, points, and how many variants each has in the bank."""
    from autograder import bank, notebooks
    from autograder.course import SOURCE_TREE
    from course_utils import exercises

    units: list[dict[str, Any]] = []
    for unit in exercises.units():
        found = bank.variants(unit.name)
        rows = [
            {
                "name": exercise.name,
                "kind": exercise.kind,
                "points": exercise.points,
                "wrong": sum(v.exercise == exercise.name and not v.right for v in found),
                "right": sum(v.exercise == exercise.name and v.right for v in found),
            }
            for exercise in unit.exercises
        ]
        other = notebooks.other_points(Course(SOURCE_TREE), unit.name)
        units.append({"unit": unit.name, "points": unit.points, **other, "exercises": rows})
    if as_json:
        print_json({"units": units})
        return
    for entry in units:
        extra = {"plain assertions": entry["by_asserts"], "graded by hand": entry["by_hand"]}
        total = entry["points"] + sum(extra.values())
        table = Table("exercise", "kind", "points", "wrong", "right", title=f"{entry['unit']}, {total:g} points", title_justify="left")
        for row in entry["exercises"]:
            table.add_row(row["name"], row["kind"], f"{row['points']:g}", str(row["wrong"]), str(row["right"]))
        table.add_section()
        for kind, points in extra.items():
            if points:
                table.add_row("", kind, f"{points:g}")
        out.print(table)


@main.command("try")
@click.argument("exercise")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def try_(exercise: str, file: Path, as_json: bool) -> None:
    """Judge one attempt: FILE holds what the answer cell of EXERCISE would hold."""
    from autograder import bank
    from course_utils import card, exercises

    try:
        found = exercises.find(exercise)
    except KeyError as error:
        raise UserError(error.args[0]) from None
    if not file.is_file():
        raise UserError(f"there is no file {file}")
    verdict = bank.judge_file(found, file)
    if as_json:
        print_json(verdict.as_json())
    else:
        click.echo(card.as_text(verdict))


@main.command()
@click.option("--unit", "unit_name", help="Only this unit, e.g. 01.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--markdown", is_flag=True, help="Print the table as it stands in docs/audit.md.")
@click.pass_context
def audit(ctx: click.Context, unit_name: str | None, as_json: bool, markdown: bool) -> None:
    """Judge every variant of the bank: how many wrong answers pass, how many right ones fail, how many are named right."""
    from autograder import bank
    from course_utils import exercises

    try:
        units = [exercises.unit(unit_name)] if unit_name else list(exercises.units())
    except KeyError as error:
        raise UserError(error.args[0]) from None
    progress, advance = bar("judging", sum(len(bank.variants(unit.name)) for unit in units))
    with progress:
        result = bank.audit(units, advance)
    if as_json:
        print_json(result.as_json())
    elif markdown:
        click.echo(result.markdown())
    else:
        out.print(audit_table(result))
        for path, expected, named in result.misnamed():
            out.print(f"misnamed: {path}: expected {expected}, named {named}", markup=False, highlight=False, soft_wrap=True)
        for kind in ("false_passes", "false_fails"):
            for path in result.as_json()[kind]:
                out.print(f"{kind[:-2].replace('_', ' ')}: {path}", markup=False, highlight=False, soft_wrap=True)
    ctx.exit(0 if result.good else 1)


def audit_table(result: Any) -> Table:
    head, *rows, total = result.rows()
    table = Table(*head, title="audit", title_justify="left")
    for row in rows:
        table.add_row(*row)
    table.add_section()
    table.add_row(*total)
    return table


# For instructors -----------------------------------------------------------------------------------------------------


@main.command()
@click.argument("units", nargs=-1)
@click.option("--solutions", is_flag=True, help="Publish the solutions in the student repository, once the due date has passed.")
@click.option("--force", is_flag=True, help="With --solutions: whatever the due date is.")
@click.pass_context
def release(ctx: click.Context, units: tuple[str, ...], solutions: bool, force: bool) -> None:
    """Make the assignments of UNITS (default: all that are built) from solutions/."""
    from autograder.release import releasable
    from autograder.release import release as release_unit

    course = course_of(ctx)
    known = releasable(course)
    if not known:
        raise UserError("nothing is built yet: run `make notebooks` first")
    if solutions and not units:
        raise UserError("say whose solutions: autograder release --solutions 01")
    for name in [full_name(known, unit) for unit in units] or known:
        if solutions:
            from autograder.student_repository import publish_solution

            click.echo(f"published {publish_solution(course, name, force).relative_to(course.root)}")
        else:
            click.echo(f"released {release_unit(course, name).relative_to(course.root)}")


def full_name(known: list[str], name: str) -> str:
    for candidate in known:
        if name in (candidate, candidate.split("_", 1)[0]):
            return candidate
    raise UserError(f"there is no unit {name!r}; there are {', '.join(known)}")


@main.command()
@click.argument("unit")
@click.option("--students", default=30, show_default=True, help="Size of the class.")
@click.option("--seed", default=0, show_default=True, help="Another seed is another class.")
@click.pass_context
def simulate(ctx: click.Context, unit: str, students: int, seed: int) -> None:
    """Write a class of simulated submissions, for demos and tests."""
    from collections import Counter

    from autograder.simulate import simulate as simulate_class

    course = course_of(ctx)
    made = simulate_class(course, unit, students, seed)
    kinds = Counter(each.kind for each in made)
    click.echo(f"{len(made)} submissions in {course.submitted}: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))


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
@click.option("--roster", type=FILE, help="CSV with a column student, and others by which students are called (default: students.csv).")
@click.option("--map", "--mapping", "mapping", type=FILE, help="CSV with the columns id and student: how a platform calls whom.")
@click.option("--times", type=FILE, help="CSV with the columns student and time, where the files do not tell when they were handed in.")
@click.option("--extensions", type=FILE, help="CSV with the columns student and due, beside [extensions] of course.toml.")
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
    """Take in the submissions of UNIT from SOURCE, a zip or folder; exit code 1 if some of them need a person."""
    from autograder.collecting.collect import collect as take_in

    course = course_of(ctx)
    result = take_in(course, course.unit(unit).name, source, layout, roster, mapping, times, extensions)
    if as_json:
        print_json(result.as_json())
    else:
        show_collected(result)
    ctx.exit(0 if result.good else 1)


def show_collected(result: Any) -> None:
    table = Table("student", "", "handed in", "what was mended, left out or is to be checked", title=result.unit, title_justify="left")
    for each in result.students:
        said = list(dict.fromkeys([*each.repairs, *each.notes]))
        shown = said[:3] + ([f"… and {len(said) - 3} more: inbox/{result.unit}/report.json"] if len(said) > 3 else [])
        table.add_row(
            Text(each.student), each.status, f"{each.time.removesuffix(' UTC')}{' LATE' if each.late else ''}", Text("\n".join(shown))
        )
    out.print(table)
    repaired = sum(bool(each.repairs) for each in result.students)
    counts = [f"{result.count(*names)} {label}" for label, names in COLLECTED.items() if result.count(*names)]
    out.print(f"from {result.layout}: {', '.join(counts)}; {repaired} repaired", highlight=False)
    for stray in result.strays:
        out.print(f"  left out: {stray}", markup=False, highlight=False, soft_wrap=True)


COLLECTED = {
    "taken": ("taken",),
    "replaced": ("replaced",),
    "unchanged": ("unchanged", "older"),
    "refused": ("refused",),
    "missing": ("missing",),
}


@main.command()
@click.argument("unit")
@click.option("--workers", type=click.IntRange(min=1), help="Submissions graded at once (default: the number of cores).")
@click.option(
    "--engine",
    type=click.Choice(["sandbox", "nbgrader"]),
    default="sandbox",
    show_default=True,
    help="nbgrader: its own autograde, slow and without walls.",
)
@click.option(
    "--min-level", type=click.IntRange(0, 3), default=3, show_default=True, help="The sandbox level below which nothing is graded."
)
@click.option("--dask", metavar="ADDRESS", help="Grade on the Dask cluster of this scheduler, for instance tls://HOST:8786.")
@click.option("--student", help="Only this student.")
@click.option("--force", is_flag=True, help="Grade again what is graded already.")
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
    as_json: bool,
) -> None:
    """Grade the submissions of UNIT; exit code 1 if some of them need a person."""
    from autograder.sandbox.client import start_early

    course = course_of(ctx)
    if dask and (engine == "nbgrader" or workers):
        raise UserError("--dask goes with neither --engine nbgrader nor --workers: the cluster has its own workers")
    if engine == "sandbox" and not dask:
        start_early()  # it imports torch while this process does
    name = course.unit(unit).name
    total = 1 if student else len(course.students(name))
    progress, advance = bar(f"grading {name}", total)
    with progress:
        if engine == "nbgrader":
            from autograder import stock

            summary = stock.grade(course, name, student, force, advance)
        else:
            from autograder.grading import run

            with contextlib.ExitStack() as stack:
                pool = None
                if dask:
                    from autograder.grading.cluster import Cluster

                    pool = stack.enter_context(contextlib.closing(Cluster(dask, say)))
                summary = run.grade(
                    course, name, workers=workers, min_level=min_level, student=student, force=force, advance=advance, say=say, pool=pool
                )
    if as_json:
        print_json(summary.as_json())
    else:
        show_scores(course, name)
        show_summary(summary)
        if engine == "sandbox":
            show_pages(course, name)
    ctx.exit(1 if summary.problems else 0)


def show_pages(course: Course, unit: str) -> None:
    """Write the pages and say where they are."""
    from autograder.pages import feedback, report

    pages = feedback.build(course, unit)
    click.echo(f"feedback: {pages[0].parent} ({len(pages)} pages)")
    click.echo(f"the class: {report.build(course)}")


@main.command()
@click.argument("unit")
@click.option("--student", help="Only this student.")
@click.pass_context
def feedback(ctx: click.Context, unit: str, student: str | None) -> None:
    """Write one page per graded submission of UNIT: what was misunderstood, and where to read again."""
    from autograder.pages.feedback import build

    course = course_of(ctx)
    name = course.unit(unit).name
    progress, advance = bar("writing feedback", None)
    with progress:
        pages = build(course, name, student, advance)
    click.echo(f"{len(pages)} pages in {pages[0].parent}")


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of writing the page.")
@click.pass_context
def report(ctx: click.Context, as_json: bool) -> None:
    """Write the page on the class: scores, misconceptions, who needs a person, answers that are alike."""
    from autograder.pages import report as pages

    course = course_of(ctx)
    if as_json:
        print_json(pages.figures(course))
    else:
        click.echo(str(pages.build(course)))


def show_scores(course: Course, unit: str) -> None:
    from autograder.scores import scores

    table = Table("student", "score", "of", "late", "to grade by hand", title=unit, title_justify="left")
    for row in scores(course, unit):
        late = f"{row.late_seconds / 3600:.0f} h" if row.late_seconds else ""
        table.add_row(row.student, f"{row.score:g}", f"{row.max_score:g}", late, "yes" if row.needs_manual_grade else "")
    out.print(table)


def show_summary(summary: Any) -> None:
    level = f" at sandbox level {summary.level}" if summary.level is not None else ""
    out.print(
        f"{summary.graded} graded{level}, {summary.skipped} unchanged, {len(summary.problems)} need a person, {summary.seconds:.1f} s",
        highlight=False,
    )
    for change in summary.changed:
        out.print(
            f"  {change['student']}: the score changed from {change['before']:g} to {change['after']:g}", markup=False, highlight=False
        )
    for problem in summary.problems:
        out.print(f"  {problem['student']}: {problem['reason']}", markup=False, highlight=False, soft_wrap=True)


@main.command()
@click.argument("unit", required=False)
@click.option("--to", type=click.Choice(["canvas", "moodle", "csv"]), default="csv", show_default=True, help="Whose format.")
@click.option("--worksheet", type=FILE, help="The table that the platform gave, to be filled in; Moodle needs it.")
@click.option("--roster", type=FILE, help="CSV with a column student, and others by which students are called (default: students.csv).")
@click.option("--title", help="What the platform calls the assignment (default: the unit's name).")
@click.pass_context
def export(ctx: click.Context, unit: str | None, to: str, worksheet: Path | None, roster: Path | None, title: str | None) -> None:
    """Write the grades of UNIT (default: of every unit that is graded) for a platform, and its feedback pages in a zip, to export/UNIT."""
    from autograder.export import export as export_grades
    from autograder.export import graded_units

    course = course_of(ctx)
    if unit is None and (worksheet or title):
        raise UserError("a worksheet and a title belong to one assignment: say which, for instance autograder export 01")
    for name in [course.unit(unit).name] if unit else graded_units(course):
        result = export_grades(course, name, to, worksheet, roster, title)
        click.echo(f"{result.grades} grades of {name}")
        for path in result.files:
            click.echo(f"wrote {path.relative_to(course.root)}")
        for note in result.notes:
            say(note)


@main.command()
@click.argument("unit", default="01")
@click.option("--students", default=20, show_default=True, type=click.IntRange(min=2), help="Size of the class that both engines grade.")
@click.option(
    "--size",
    "sizes",
    multiple=True,
    type=click.IntRange(min=2),
    help="A larger class, for this engine alone; several times (default: 10, 100 and 400; with --json 10).",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def bench(unit: str, students: int, sizes: tuple[int, ...], as_json: bool) -> None:
    """Measure this engine against stock nbgrader on the same simulated class, in one run."""
    from autograder.bench import SIZES
    from autograder.bench import main as measure

    result = measure(unit, students, sizes or (SIZES[:1] if as_json else SIZES), say=say)
    if as_json:
        print_json(result.as_json())
    else:
        click.echo("\n".join(result.lines()))


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """What works on this machine, which sandbox level holds, and what to install."""
    from autograder.doctor import examine

    report = examine()
    if as_json:
        print_json(report.as_json())
    else:
        for line in report.lines():
            click.echo(line)
        try:
            from autograder.gradebook import state

            click.echo(f"the gradebook {state(course_of(ctx))}")
        except (UserError, ImportError) as error:
            click.echo(f"no gradebook: {error}")


if __name__ == "__main__":
    sys.exit(main())
