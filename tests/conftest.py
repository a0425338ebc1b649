"""Shared by all tests: one thread for torch, temporary courses, and what to do where a program is
missing.
"""

import os
import sys

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")  # two test processes share two cores

os.environ.pop("COURSE_GRADEBOOK", None)  # no test may get into a real gradebook

# nbgrader calls alembic by its bare name, also where its environment is not activated
os.environ["PATH"] = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ.get('PATH', '')}"

import fcntl  # noqa: E402
import shutil  # noqa: E402
from collections.abc import Callable  # noqa: E402
from pathlib import Path  # noqa: E402

import pytest  # noqa: E402
import torch  # noqa: E402
from hypothesis import settings  # noqa: E402

from autograder.authoring.release import new_course  # noqa: E402
from autograder.course import SOURCE_TREE, Course  # noqa: E402

torch.set_num_threads(1)
settings.register_profile("course", deadline=None)  # a busy machine is no reason to fail
settings.load_profile("course")


def need(condition: object, what: str) -> None:
    """Skip a test that cannot run here; with COURSE_STRICT (CI) that is a failure."""
    if not condition:
        if os.environ.get("COURSE_STRICT"):
            pytest.fail(f"{what} is missing, and COURSE_STRICT is set")
        pytest.skip(f"{what} is missing")


@pytest.fixture(scope="session")
def chromium() -> str:
    program = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    need(program, "chromium")
    return str(program)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """`shared(name, fill)`: a folder for all test processes of this run, filled by the first that
    needs it.
    """
    root = tmp_path_factory.getbasetemp()
    root = root.parent if "PYTEST_XDIST_WORKER" in os.environ else root

    def made(name: str, fill: Callable[[Path], object]) -> Path:
        with open(root / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (root / f"{name}.made").exists():  # nobody, or somebody who failed
                shutil.rmtree(root / name, ignore_errors=True)
                fill(root / name)
                (root / f"{name}.made").touch()
        return root / name

    return made


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """An empty course of its own with the built assignments."""
    return new_course(tmp_path / "course")


@pytest.fixture
def repository() -> Course:
    """The course that these tests belong to."""
    return Course(SOURCE_TREE)


@pytest.fixture
def autograder(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process: (exit code, standard output, standard error)."""
    from click.testing import CliRunner

    from autograder.cli import main

    def run(*arguments: object) -> tuple[int, str, str]:
        result = CliRunner().invoke(main, [str(a) for a in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run
