"""The one place that knows how nbgrader is configured and called."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from traitlets.config import Config

from autograder.course import Course
from autograder.errors import UserError

CODE_STUB = "...  # YOUR CODE HERE"
TEXT_STUB = "YOUR ANSWER HERE"


def settings(course: Course, **overrides: str) -> Config:
    """nbgrader's configuration for a course."""
    config = Config()
    config.CourseDirectory.root = str(course.root)
    config.CourseDirectory.course_id = "attention"
    config.CourseDirectory.source_directory = "solutions"
    config.CourseDirectory.release_directory = "assignments"
    config.CourseDirectory.db_url = course.gradebook_url
    config.CourseDirectory.update(overrides)
    config.ClearSolutions.code_stub = {"python": CODE_STUB}
    config.ClearSolutions.text_stub = TEXT_STUB
    config.ClearSolutions.enforce_metadata = False
    config.Execute.timeout = int(course.settings.limits.cell_seconds)
    config.Exchange.root = str(course.root / "exchange")
    config.FormgradeExtension.debug = (
        False  # it would show all of this on its first page, with the gradebook's password
    )
    return config


@contextmanager
def captured_log() -> Iterator[list[str]]:
    """nbgrader tells what went wrong only in its log: collect the warnings and errors."""
    lines: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                lines.append(record.getMessage())

    logger = logging.getLogger("autograder.nbgrader")
    logger.handlers = [Collector()]
    logger.setLevel(logging.INFO)
    logger.propagate = False
    yield lines


def generate_assignment(course: Course, unit: str, release_directory: str, database: bool) -> None:
    """nbgrader's own generate_assignment: solutions/UNIT -> release_directory/UNIT."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.preprocessors import SaveCells

    config = settings(course, release_directory=release_directory)
    config.CourseDirectory.assignment_id = unit
    config.GenerateAssignment.no_database = not database
    config.GenerateAssignment.create_assignment = True
    config.GenerateAssignment.force = True
    with captured_log() as lines:
        converter: Any = GenerateAssignment(coursedir=CourseDirectory(config=config), config=config)
        converter.log = logging.getLogger("autograder.nbgrader")
        if not database:
            converter.preprocessors = [
                each for each in converter.preprocessors if each is not SaveCells
            ]
        try:
            converter.start()
        except (SystemExit, NbGraderException):
            raise UserError(f"nbgrader cannot release {unit}: {reason(lines)}") from None


def reason(log: list[str]) -> str:
    """The error that a traceback in the log ends with, or what the log says."""
    lines = "\n".join(log).splitlines()
    errors = [
        line.partition(": ")[2] for line in lines if re.match(r"[\w.]*(Error|Exception): ", line)
    ]
    return errors[-1] if errors else " ".join(lines)[-1500:] or "it gave no reason"
