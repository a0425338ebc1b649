"""Commands that give something out: release, and a simulated class."""

from collections import Counter

import click

from autograder.cli.shared import course_of, main
from autograder.errors import UserError


@main.command()
@click.argument("units", nargs=-1)
@click.option(
    "--solutions",
    is_flag=True,
    help="Publish the solutions in the student repository, once everybody's time is up.",
)
@click.option("--force", is_flag=True, help="With --solutions: whatever the due date is.")
@click.pass_context
def release(ctx: click.Context, units: tuple[str, ...], solutions: bool, force: bool) -> None:
    """Make the assignments of UNITS from solutions/ (default: of all that are built and whose date
    in [open] has come)."""
    from autograder.authoring import release as releasing
    from autograder.authoring.student_repository import publish_solution
    from autograder.grading import rehearsal

    course = course_of(ctx)
    if course.foreign:
        raise UserError("release with nbgrader itself: `nbgrader generate_assignment ASSIGNMENT`")
    known = releasing.releasable(course)
    if not known:
        raise UserError("nothing is built yet: run `make notebooks` first")
    if solutions and not units:
        raise UserError("say whose solutions: autograder release --solutions 01")
    chosen = [course.unit_name(unit) for unit in units] or releasing.opened(course, known)
    for name in chosen:
        if name not in known:
            raise UserError(f"{name} is not built: run `make notebooks UNIT={name[:2]}` first")
        if solutions:
            path = publish_solution(course, name, force)
            click.echo(f"published {path.relative_to(course.root)}")
        else:
            click.echo(f"released {releasing.release(course, name).relative_to(course.root)}")
            rehearsal.prepare(course, name)
    for name in known if not units else ():
        if name not in chosen:
            click.echo(f"{name} opens {course.settings.open[name]:%Y-%m-%d %H:%M %Z}")


@main.command()
@click.argument("unit")
@click.option("--students", default=30, show_default=True, help="Size of the class.")
@click.option("--seed", default=0, show_default=True, help="Another seed is another class.")
@click.option("--among-real", is_flag=True, help="Even in a course that has real students.")
@click.pass_context
def simulate(ctx: click.Context, unit: str, students: int, seed: int, among_real: bool) -> None:
    """Write a class of simulated submissions, for demos and tests."""
    from autograder.authoring.simulate import simulate as simulate_class

    course = course_of(ctx)
    name = course.unit_name(unit)
    if course.has_real_students and not among_real:
        raise UserError(
            f"{course.root} has real students: simulate in another course (--course DIR),"
            " or say --among-real"
        )
    made = simulate_class(course, name, students, seed)
    kinds = Counter(each.kind for each in made)
    listed = ", ".join(f"{n} {kind}" for kind, n in kinds.most_common())
    click.echo(f"{len(made)} submissions in {course.submitted}: {listed}")
