"""Commands about this machine: bench, doctor."""

import click

from autograder.cli.shared import course_of, main, print_json, say
from autograder.course import Course
from autograder.errors import UserError


@main.command()
@click.argument("unit", default="01")
@click.option(
    "--students",
    default=20,
    show_default=True,
    type=click.IntRange(min=2),
    help="Size of the class that both engines grade.",
)
@click.option(
    "--times",
    "factors",
    multiple=True,
    type=click.IntRange(min=1),
    default=(1, 5, 15),
    show_default=True,
    help="This engine also grades the class so many times over; several times.",
)
@click.option(
    "--repeats",
    default=3,
    show_default=True,
    type=click.IntRange(min=1),
    help="How often each class is graded.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def bench(
    ctx: click.Context,
    unit: str,
    students: int,
    factors: tuple[int, ...],
    repeats: int,
    as_json: bool,
) -> None:
    """Measure this engine against stock nbgrader on the same simulated class, in one run; in a
    course made with nbgrader, on what was handed in for the assignment UNIT."""
    from autograder.bench import main as measure

    try:
        found: Course | None = course_of(ctx)
    except UserError:
        found = None  # a simulated class needs no course
    real = found if found is not None and found.foreign else None
    result = measure(unit, students, factors, repeats, say=say, course=real)
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
        try:
            from autograder.overview import lines

            click.echo("\n".join(lines(course_of(ctx))))
        except UserError as error:
            click.echo(f"no course: {error}")
            ctx.exit(2 if "course.toml, line" in str(error) else 0)
