"""What a student's process sees of `course_utils`: no exercises, no judge, no reference code of this unit or a later one."""

import ast
import compileall
import shutil
from functools import cache
from pathlib import Path

import course_utils
from course_utils import exercises

SOURCE = Path(course_utils.__file__).parent
SECRET = {"exercises", "exercise", "judge", "compare", "card", "check", "draw", "properties", "pictures", "syntax"}
INSIDE = "/course"  # where it appears behind the walls

PACKAGE = '''"""What students import, as it is while a notebook is graded: without verdicts."""

__version__ = {version!r}


class Later:
    """Stands where a verdict will be: the grader decides elsewhere."""

    def __repr__(self):
        return "This is checked by the grader, after the notebook has run."

    points = verdict = None


def check(answer=None, exercise=None):
    """No verdict is given while a notebook is graded."""
    return Later()


def summary(unit=None):
    return Later()
'''
CHECK = '''"""No verdicts while a notebook is graded."""

from course_utils import check, summary

__all__ = ["check", "summary"]
'''

COLAB = {  # notebooks that were written in Colab import this; nothing of it does anything here
    "__init__": '"""Stands for google.colab, which exists in Colab only."""\n\nfrom google.colab import drive, files, output, userdata\n',
    "drive": 'def mount(*_, **__):\n    print("There is no Drive here.")\n\n\nflush_and_unmount = mount\n',
    "files": "def upload(*_, **__):\n    return {}\n\n\ndef download(*_, **__):\n    pass\n",
    "output": "def clear(*_, **__):\n    pass\n\n\nenable_custom_widget_manager = disable_custom_widget_manager = clear\n",
    "userdata": "def get(*_, **__):\n    return None\n",
}


def imports(path: Path) -> set[str]:
    """The modules of course_utils that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("course_utils.")}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            if node.module == "course_utils":
                found |= {alias.name for alias in node.names}
            elif node.module.startswith("course_utils."):
                found.add(node.module.split(".")[1])
    return found


@cache
def modules(unit: str) -> tuple[str, ...]:
    """The modules that a submission of this unit may import: neutral ones and earlier units', if they need no others."""
    later = {each.module for each in exercises.units() if each.name >= unit}
    files = {
        path.stem if path.is_file() else path.name: path
        for path in SOURCE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    shown = set(files) - SECRET - later - {"__init__"}
    while True:
        needy = {name for name in shown if files[name].is_file() and imports(files[name]) & (set(files) - shown - {"__init__"})}
        if not needy:
            return tuple(sorted(shown))
        shown -= needy


def secret_modules(unit: str) -> tuple[str, ...]:
    """The modules that must not be importable."""
    everything = {path.stem for path in SOURCE.glob("*.py")} | {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    secret = everything - set(modules(unit)) - {"__init__", "check"}
    return tuple(sorted(f"course_utils.{name}" for name in secret)) + ("autograder.grading", "autograder.course")


def write(unit: str, folder: Path) -> Path:
    """Write the view of a unit to `folder`/course_utils, compiled, readable by everyone."""
    target = folder / "course_utils"
    target.mkdir(parents=True)
    for name in modules(unit):
        source = SOURCE / f"{name}.py"
        if source.is_file():
            shutil.copyfile(source, target / source.name)
        else:
            shutil.copytree(SOURCE / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    if (SOURCE / "data").is_dir() and not (target / "data").exists():
        shutil.copytree(SOURCE / "data", target / "data", ignore=shutil.ignore_patterns("__pycache__"))
    (target / "__init__.py").write_text(PACKAGE.format(version=course_utils.__version__), encoding="utf-8")
    (target / "check.py").write_text(CHECK, encoding="utf-8")
    (folder / "google" / "colab").mkdir(parents=True)
    for name, text in COLAB.items():
        (folder / "google" / "colab" / f"{name}.py").write_text(text, encoding="utf-8")
    compileall.compile_dir(folder, quiet=2)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder
