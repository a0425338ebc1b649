"""Breaks ten things in ten places, one at a time in a copy, and shows that `make test` sees each:
`python -m tools.sabotage [NAME …]`.

Of `make test` only the tests that should see a break are run: first as things are, where they must
pass, then broken, where they must fail.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import click

from autograder.course import SOURCE_TREE

LEFT_OUT = ("--exclude=./.venv", "--exclude=./.git", "--exclude=./build", "--exclude=./demo")


@dataclass(frozen=True)
class Break:
    """One change that nobody should be able to make unseen, and the tests of `make test` for it."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


BREAKS = (
    Break(
        "a lecture's code",
        "course_utils/masking.py",
        "dtype=torch.bool).tril()",
        "dtype=torch.bool).tril(1)",
        ("tests/course_utils/test_masking.py",),
    ),
    Break(
        "points for a wrong basis",
        "course_utils/judging/judge.py",
        'if "basic" in groups and "basic" not in good:',
        'if "basic" not in groups and "basic" not in good:',
        ("tests/course_utils/test_check.py", "tests/course_utils/test_contract.py"),
    ),
    Break(
        "a comparison that is too kind",
        "course_utils/judging/compare.py",
        "if torch.allclose(a, b, rtol=tolerance,",
        "if torch.allclose(a, b, rtol=1e3 * tolerance,",
        ("tests/course_utils/test_compare.py",),
    ),
    Break(
        "a child that answers more than it was asked",
        "autograder/grading/remote.py",
        "if values != 1 + len(case.then):",
        "if values < 1 + len(case.then):",
        ("tests/autograder/grading/test_remote.py",),
    ),
    Break(
        "a frame of any number of values",
        "autograder/sandbox/wire.py",
        "if depth > DEPTH or self.nodes > NODES:",
        "if depth > DEPTH:",
        ("tests/autograder/sandbox/test_wire.py",),
    ),
    Break(
        "a wall without its network namespace",
        "autograder/sandbox/walls.py",
        'syscalls.unshare("mount", "ipc", "uts", "net")',
        'syscalls.unshare("mount", "ipc", "uts")',
        ("tests/autograder/sandbox/test_walls.py::test_a_level_holds_as_whoever_runs_the_tests",),
    ),
    Break(
        "a begun day that costs nothing",
        "autograder/points/policy.py",
        "days = math.ceil(seconds / DAY)",
        "days = math.floor(seconds / DAY)",
        ("tests/autograder/test_policy.py",),
    ),
    Break(
        "a download that writes where it likes",
        "autograder/collecting/archive.py",
        'if ".." in parts or path.startswith("/")',
        'if path.startswith("/")',
        ("tests/autograder/test_collect.py", "tests/autograder/test_collect_hostile.py"),
    ),
    Break(
        "pages that believe what students write",
        "autograder/pages/common.py",
        "autoescape=True",
        "autoescape=False",
        ("tests/autograder/test_pages.py",),
    ),
    Break(
        "a spreadsheet that computes a student's name",
        "autograder/outside.py",
        'return f"\'{clean}" if FORMULA.match(clean)',
        'return f"{clean}" if FORMULA.match(clean)',
        ("tests/autograder/test_outside.py", "tests/autograder/test_export.py"),
    ),
)


def copied(folder: Path) -> Path:
    """The source tree without environment and history."""
    packed = subprocess.run(
        ["tar", "-c", *LEFT_OUT, "."], cwd=SOURCE_TREE, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
    return folder


def passes(tree: Path, tests: tuple[str, ...]) -> bool:
    """Do these tests pass there? An error before any test ran is neither, and stops everything."""
    command = [sys.executable, "-m", "pytest", "-x", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(f"the tests could not be run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.returncode == 0


def seen(tree: Path, each: Break) -> bool:
    """Do the tests pass as things are, and fail when this is broken?"""
    path = tree / each.file
    whole = path.read_text(encoding="utf-8")
    if whole.count(each.old) != 1:
        raise SystemExit(f"{each.file} has changed: {each.old!r} is not in it exactly once")
    if not passes(tree, each.tests):
        raise SystemExit(f"{', '.join(each.tests)}: fails before anything is broken")
    path.write_text(whole.replace(each.old, each.new), encoding="utf-8")
    try:
        return not passes(tree, each.tests)
    finally:
        path.write_text(whole, encoding="utf-8")


@click.command()
@click.argument("names", nargs=-1)
def main(names: tuple[str, ...]) -> None:
    """Break things, all or those whose description holds one of NAMES; exit code 1 if one was not
    seen."""
    chosen = [each for each in BREAKS if not names or any(name in each.name for name in names)]
    unseen = 0
    with tempfile.TemporaryDirectory(prefix="sabotage-") as folder:
        tree = copied(Path(folder))
        for each in chosen:
            began = time.perf_counter()
            found = seen(tree, each)
            unseen += not found
            said = "seen" if found else "NOT SEEN"
            took = f"{time.perf_counter() - began:.0f} s"
            click.echo(f"{said}: {each.name} ({each.file}), {took}")
    click.echo(f"{len(chosen) - unseen} of {len(chosen)} seen")
    sys.exit(1 if unseen else 0)


if __name__ == "__main__":
    main()
