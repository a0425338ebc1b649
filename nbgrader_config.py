"""nbgrader's configuration, the same that `autograder` uses: its folders, and how a stub looks."""

from pathlib import Path

from autograder.course import Course
from autograder.nbgrader_bridge import settings

c = get_config()  # type: ignore[name-defined] # noqa: F821
c.merge(settings(Course(Path(__file__).resolve().parent)))  # type: ignore[name-defined]
