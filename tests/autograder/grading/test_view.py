"""What a student's process sees of the course."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.grading import view
from course_utils import exercises

pytestmark = pytest.mark.slow

UNITS = [unit.name for unit in exercises.units()]


@pytest.mark.parametrize("unit", UNITS)
def test_neither_this_units_reference_nor_a_later_one_is_shown(unit: str) -> None:
    shown = set(view.modules(unit))
    for each in exercises.units():
        assert (each.module in shown) == (each.name < unit), each.name
    assert not any(name.startswith(view.HIDDEN) for name in shown)
    assert {"judging.runner", "judging.toys", "plotting", "training"} <= shown


@pytest.mark.parametrize("unit", [UNITS[0], UNITS[-1]])
def test_the_view_imports_and_knows_no_verdict(unit: str, tmp_path: Path) -> None:
    folder = view.write(unit, tmp_path / "view")
    names = ", ".join(f"course_utils.{name}" for name in view.modules(unit))
    code = f"""
import sys
sys.path.insert(0, {str(folder)!r})
editable = lambda f: getattr(f, "__module__", "").startswith("__editable__")
sys.meta_path[:] = [f for f in sys.meta_path if not editable(f)]
import course_utils, {names}
assert course_utils.__file__.startswith({str(folder)!r})
from course_utils import check, ready, summary
from course_utils.check import check
print(check(len), summary("01"))
assert not ready("softmax")
for name in ("exercises", "exercises.masking", "exercises.nadaraya_watson"):
    try:
        __import__("course_utils." + name)
    except ImportError:
        continue
    raise SystemExit(name + " is importable")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "checked by the grader" in done.stdout


def test_secret_modules_are_the_rest() -> None:
    secret = view.secret_modules("01_nadaraya_watson")
    assert "course_utils.nadaraya_watson" in secret
    assert "course_utils.exercises" in secret
    assert "course_utils.judging.runner" not in secret
