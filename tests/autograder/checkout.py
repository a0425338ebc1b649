"""A checkout of the course of its own, for tests that change exercises: its commands run in
processes that import the changed code."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.course import SOURCE_TREE, Course

CODE = ("autograder", "course_utils", "tests/variants", "tests/equivalents", "solutions")


class Checkout:
    """A copy of the course in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in CODE:
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(SOURCE_TREE / folder, root / folder, ignore=ignored)
        for file in ("course.toml", "nbgrader_config.py"):
            shutil.copy(SOURCE_TREE / file, root)
        self.course = Course(root)

    def run(self, *arguments: object, fine: tuple[int, ...] = (0,)) -> str:
        """An `autograder` command; what it printed."""
        command = [sys.executable, "-m", "autograder.cli", *map(str, arguments)]
        plain = {"PYTHONPATH": str(self.root), "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, cwd=self.root, env=os.environ | plain, capture_output=True, text=True
        )
        assert done.returncode in fine, done.stdout + done.stderr
        return done.stdout + done.stderr

    def exercise(self, unit: str, name: str) -> Path:
        return self.root / "course_utils" / "exercises" / unit[3:] / f"{name}.py"

    def hand_in(self, unit: str, student: str, answers: dict[str, str]) -> None:
        """The released notebook with these answers in it."""
        notebook = json.loads(self.course.released(unit).read_text(encoding="utf-8"))
        for cell in notebook["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = answers.get(name, cell["source"])
        folder = self.course.submitted / student / unit
        folder.mkdir(parents=True)
        (folder / f"{unit}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
