"""What all commands share: the group, the course, progress bars, and how things are printed."""

import atexit
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from autograder import outside
from autograder.course import Course
from autograder.errors import UserError

out = Console()
err = Console(stderr=True)
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path)
COURSE = "The course's folder (default: the nearest with a course.toml or nbgrader_config.py)."


class Commands(click.Group):
    """Turns errors that a person can do something about into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"autograder: {outside.line(str(error), 4000)}", err=True)
            ctx.exit(2)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def add_command(self, cmd: click.Command, name: str | None = None) -> None:
        """Every command takes --course after its name too."""
        cmd.params.append(
            click.Option(
                ["--course"], type=FOLDER, expose_value=False, callback=_another_course, help=COURSE
            )
        )
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


def program() -> NoReturn:
    """`main` with a quick end: to take thousands of modules of torch apart takes most of a second,
    and nobody needs them any more."""
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


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
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
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
