"""Commands for authors: list, try, audit, mutate, learn."""

from typing import Any

import click
from rich.table import Table
from rich.text import Text

from autograder import outside
from autograder.cli.shared import bar, course_of, main, out, print_json
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError


def other_course(ctx: click.Context) -> Course | None:
    """The course of nbgrader's in which one stands, which has no exercises of this package."""
    try:
        found = course_of(ctx)
    except UserError:
        return None
    return found if found.foreign else None


def own_exercises(ctx: click.Context) -> None:
    if (course := other_course(ctx)) is not None:
        raise UserError(
            f"{course.settings.title} was made with nbgrader alone, so its exercises have no bank"
            " of attempts: this command is for the attention course"
        )


@main.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def list_(ctx: click.Context, as_json: bool) -> None:
    """Units, exercises, points, and how many attempts each has in the bank; in a course made with
    nbgrader, its assignments, their notebooks and who handed in."""
    if (course := other_course(ctx)) is not None:
        _list_assignments(course, as_json)
        return
    from autograder.authoring import attempts as bank
    from autograder.authoring import notebooks
    from course_utils import exercises

    units: list[dict[str, Any]] = []
    for unit in exercises.units():
        found = bank.attempts(unit)
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
        table = Table(
            "exercise",
            "kind",
            "points",
            "wrong",
            "right",
            title=f"{entry['unit']}, {total:g} points",
            title_justify="left",
        )
        for row in entry["exercises"]:
            table.add_row(
                row["name"], row["kind"], f"{row['points']:g}", str(row["wrong"]), str(row["right"])
            )
        table.add_section()
        for kind, points in extra.items():
            if points:
                table.add_row("", kind, f"{points:g}")
        out.print(table)


def _list_assignments(course: Course, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {
            "assignment": unit,
            "notebooks": list(course.notebooks(unit)),
            "handed_in": len(course.students(unit)),
        }
        for unit in course.unit_names
    ]
    if as_json:
        print_json({"assignments": rows})
        return
    table = Table("assignment", "notebooks", "handed in", title=course.settings.title)
    for row in rows:
        table.add_row(row["assignment"], ", ".join(row["notebooks"]), str(row["handed_in"]))
    out.print(table)


@main.command("try")
@click.argument("exercise")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def try_(exercise: str, file: str, as_json: bool) -> None:
    """Judge one attempt: FILE holds what the answer cell of EXERCISE would hold, or is the name of
    an attempt in the bank."""
    from autograder.authoring import attempts as bank
    from course_utils import exercises
    from course_utils.judging import card

    try:
        found = exercises.find(exercise)
    except KeyError as error:
        raise UserError(error.args[0]) from None
    verdict = bank.judge_file_or_attempt(found, file)
    if as_json:
        print_json(verdict.as_json())
    else:
        click.echo(card.as_text(verdict))


@main.command()
@click.option("--unit", "unit_name", help="Only this unit, e.g. 01.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--markdown", is_flag=True, help="Print the table as it stands in docs/audit.md.")
@click.option("--written", is_flag=True, help="The attempts of writers who saw only the texts.")
@click.pass_context
def audit(
    ctx: click.Context, unit_name: str | None, as_json: bool, markdown: bool, written: bool
) -> None:
    """Judge every attempt of the bank: how many wrong answers pass, how many right ones fail, how
    many are named right."""
    own_exercises(ctx)
    from autograder.authoring import attempts as bank
    from course_utils import exercises

    try:
        units = [exercises.unit(unit_name)] if unit_name else list(exercises.units())
    except KeyError as error:
        raise UserError(error.args[0]) from None
    where = bank.WRITTEN if written else bank.BANK
    progress, advance = bar("judging", sum(len(bank.attempts(unit, where)) for unit in units))
    with progress:
        result = bank.audit(units, advance, bank=where)
    if as_json:
        print_json(result.as_json())
    elif markdown:
        click.echo(result.markdown())
    else:
        out.print(audit_table(result))
        for path, expected, named in result.misnamed():
            out.print(
                f"misnamed: {path}: expected {expected}, named {named}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
        for unit, name in result.untried:
            click.echo(f"no attempts: write some into tests/variants/{unit}/{name}.py")
        for kind in ("false_passes", "false_fails"):
            for path in result.as_json()[kind]:
                out.print(
                    f"{kind[:-2].replace('_', ' ')}: {path}",
                    markup=False,
                    highlight=False,
                    soft_wrap=True,
                )
    ctx.exit(0 if result.good else 1)


def audit_table(result: Any) -> Table:
    head, *rows, total = result.rows()
    table = Table(*head, title="audit", title_justify="left")
    for row in rows:
        table.add_row(*row)
    table.add_section()
    table.add_row(*total)
    return table


@main.command()
@click.argument("unit", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--exercise", help="Only this exercise.")
@click.option("--origin", help="Only mutants of this right answer, e.g. reference.")
@click.option("--again", is_flag=True, help="Also judge what is remembered in build/mutation.")
@click.pass_context
def mutate(
    ctx: click.Context,
    unit: str | None,
    as_json: bool,
    exercise: str | None,
    origin: str | None,
    again: bool,
) -> None:
    """Judge right answers of UNIT (default: of all) with one small mistake each. Those that still
    get full points and are not listed in tests/equivalents are holes of the judge."""
    own_exercises(ctx)
    from autograder.authoring import mutation
    from course_utils import exercises

    try:
        units = [exercises.unit(unit)] if unit else list(exercises.units())
    except KeyError as error:
        raise UserError(error.args[0]) from None
    progress, advance = bar("judging mutants", None)
    with progress:
        found = mutation.run(units, advance, origin, exercise, again)
    if as_json:
        print_json(found.as_json())
    else:
        for line in found.lines():
            click.echo(line)
    ctx.exit(0 if found.good else 1)


@main.command()
@click.argument("unit")
@click.option("--exercise", metavar="NAME", help="Only answers to this exercise.")
@click.option(
    "--group",
    type=click.IntRange(min=1),
    help="Which answers, by the number in the report (default: the first ones not learned yet).",
)
@click.option("--name", default="", help="What to call the mistake, for instance off-by-one.")
@click.option("--list", "only_list", is_flag=True, help="Only list the groups.")
@click.pass_context
def learn(
    ctx: click.Context,
    unit: str,
    exercise: str | None,
    group: int | None,
    name: str,
    only_list: bool,
) -> None:
    """Make a misconception of wrong answers to UNIT that have no name yet: writes its skeleton into
    the file of the exercise, and the answer into the bank."""
    from autograder.authoring import learn as learning

    course = course_of(ctx)
    unit = course.unit_name(unit)
    if only_list:
        table = Table("group", "exercise", "students", "what the judge says", title=unit)
        for each in learning.unnamed_answers(course, unit, exercise):
            students = str(len(each.students))
            table.add_row(str(each.number), each.exercise, students, Text(outside.line(each.said)))
        out.print(table)
        return
    for line in learning.report(learning.learn(course, unit, exercise, group, name), unit):
        click.echo(line)
