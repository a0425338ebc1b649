"""Starts nbgrader's formgrader on the gradebook of a course: with names, with the rubric above
every written answer, without its own autograde.

Formgrader's autograde button would run submissions on this machine without any walls: here its
address answers that `autograder grade` is to be used.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError

CONFIG = '''"""Written by `autograder formgrader`, for one run."""

from pathlib import Path

from autograder.course import Course
from autograder.formgrader import without_autograde
from autograder.formgrader_page import FormgraderPage, safe_markdown
from autograder.nbgrader_bridge import settings

without_autograde()
c.merge(settings(Course(Path({root!r}))))
c.ServerApp.root_dir = {root!r}
c.ServerApp.default_url = "/formgrader"
c.ServerApp.port = {port}
c.ServerApp.ip = "127.0.0.1"  # and nobody else: whoever reaches it can change grades
c.ServerApp.allow_root = True
c.HTMLExporter.preprocessors = [FormgraderPage]
c.HTMLExporter.filters = {{"markdown2html": safe_markdown}}
c.FormgraderPage.solutions = {solutions!r}
'''
REFUSED = "formgrader does not grade here, since it has no walls: run `autograder grade {}`"


def config(course: Course, port: int) -> str:
    """What Jupyter is told."""
    return CONFIG.format(root=str(course.root), port=port, solutions=str(course.solutions))


def without_autograde() -> None:
    """Formgrader's autograde runs in the server; take it out of there."""
    from nbgrader.apps.api import NbGraderAPI

    def refuse(self: object, assignment_id: str, *_: object, **__: object) -> dict[str, object]:
        return {"success": False, "error": REFUSED.format(assignment_id), "log": ""}

    NbGraderAPI.autograde = refuse


def put_names(course: Course) -> int:
    """The names of the roster into the gradebook, where formgrader shows them."""
    from autograder.gradebook import opened
    from autograder.points.facts import Ledger

    named = 0
    people = Ledger(course).people
    with opened(course) as gradebook:
        known = {student.id for student in gradebook.students}
        for student in known & set(people.students):
            words = people.name(student).replace(",", " ").split()
            if words:
                first, last = " ".join(words[:-1]), words[-1]
                gradebook.update_or_create_student(student, first_name=first, last_name=last)
                named += 1
    return named


def serve(course: Course, port: int, say: Callable[[str], None]) -> int:
    """Run it until it is stopped."""
    if not (course.root / "gradebook.db").is_file() and "sqlite" in course.gradebook_url:
        raise UserError(
            "there is no gradebook yet: run `autograder release` and `autograder grade`"
        )
    if importlib.util.find_spec("jupyterlab") is None:
        raise UserError("formgrader needs JupyterLab: pip install 'attention-course[lab]'")
    named = put_names(course)
    say(f"{named} names from students.csv; http://127.0.0.1:{port}/formgrader, Ctrl-C ends it")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "jupyter_server_config.py"
        path.write_text(config(course, port), encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": str(SOURCE_TREE)}
        environment["JUPYTER_CONFIG_PATH"] = folder
        command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", f"--config={path}"]
        return subprocess.call(command, cwd=course.root, env=environment)
