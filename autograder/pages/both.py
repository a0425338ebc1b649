"""Feedback for each student and the report on the class, side by side: neither needs the other."""

from functools import partial
from pathlib import Path

from autograder.course import Course
from autograder.grading.beside import Beside
from autograder.pages import feedback, report


def build(course: Course, unit: str) -> tuple[list[Path], Path]:
    """Write the pages of a unit and the report; where they are."""
    written = Beside(partial(report.build, course))
    return feedback.build(course, unit), written.result()
