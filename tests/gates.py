"""Everything that must hold before a change is taken: `make test` runs the gates that a change
breaks first, `make test-full` the long ones, CI both.

Each gate prints its own time; all of them run, whatever fails. `python -m tests.gates hostile lint`
runs single gates, `python -m tests.gates quick` the fast ones, for work in between.
"""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
PYTEST = [sys.executable, "-m", "pytest"]
TWO = ["-n", "2"]
BY_FILE = [*TWO, "--dist", "loadfile"]
PROJECT = sorted(f"tests/{path.name}" for path in (ROOT / "tests").glob("test_*.py"))
UNIT = ["tests/course_utils", "tests/autograder", *PROJECT]
FAST = "not slow and not sandbox and not long"
BUILT = "tests/notebooks/test_built.py"
LINT = [
    [f"{BIN}/ruff", "check", "."],
    [f"{BIN}/ruff", "format", "--check", "."],
    [f"{BIN}/mypy"],
]

Gates = list[tuple[str, list[list[str]]]]
TEST: Gates = [
    ("lint", LINT),
    ("unit tests", [[*PYTEST, *TWO, "-m", "not long", *UNIT, "--durations=20"]]),
    ("audit", [[f"{BIN}/autograder", "audit"], [f"{BIN}/autograder", "audit", "--written"]]),
    ("built notebooks", [[*PYTEST, *TWO, BUILT]]),
    ("hostile", [[*PYTEST, "tests/hostile", "--durations=5"]]),
    ("browser", [[*PYTEST, "tests/browser", "--durations=5"]]),
]
FULL: Gates = [
    ("long unit tests", [[*PYTEST, *TWO, "-m", "long", *UNIT, "--durations=5"]]),
    (
        "notebooks",
        [
            [
                *PYTEST,
                *TWO,
                "--dist=worksteal",
                "tests/notebooks",
                f"--ignore={BUILT}",
                "--durations=12",
            ]
        ],
    ),
    ("matrix", [[*PYTEST, "-s", "tests/matrix"]]),
    ("equality with nbgrader", [[*PYTEST, "tests/equality"]]),
    ("any nbgrader course", [[*PYTEST, "tests/any_course"]]),
    (
        "database and faults",
        [[*PYTEST, *BY_FILE, "tests/database", "tests/faults", "--durations=10"]],
    ),
    ("colab", [[*PYTEST, *BY_FILE, "tests/colab", "--durations=5"]]),
]
QUICK: Gates = [
    ("lint", LINT),
    ("fast unit tests", [[*PYTEST, *TWO, "-m", FAST, *UNIT, "--durations=5"]]),
]
SETS = {"test": TEST, "full": FULL, "quick": QUICK, "all": TEST + FULL}


def chosen(names: list[str]) -> Gates:
    names = names or ["test"]
    if len(names) == 1 and names[0] in SETS:
        return SETS[names[0]]
    gates = [gate for gate in SETS["all"] if gate[0].split()[0] in names]
    if not gates:
        known = ", ".join(name.split()[0] for name, _ in SETS["all"])
        sys.exit(f"there is no such gate; there are: {', '.join(SETS)}, {known}")
    return gates


def main(names: list[str]) -> int:
    failed, began = [], time.perf_counter()
    gates = chosen(names)
    for name, commands in gates:
        print(f"\n=== {name} ===", flush=True)
        start = time.perf_counter()
        codes = [subprocess.run(command, cwd=ROOT, check=False).returncode for command in commands]
        bad = any(codes)
        failed += [name] if bad else []
        seconds = time.perf_counter() - start
        print(f"=== {name}: {'FAILED' if bad else 'passed'} in {seconds:.0f} s", flush=True)
    ending = f"; failed: {', '.join(failed)}" if failed else ""
    print(f"\nall gates in {time.perf_counter() - began:.0f} s{ending}")
    print(f"gates: {len(gates) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
