"""Everything that must hold before a change is taken: `make test`. Each gate prints its own time; all of them run, whatever fails."""

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
PYTEST = [sys.executable, "-m", "pytest"]
PROJECT = sorted(f"tests/{path.name}" for path in (ROOT / "tests").glob("test_*.py"))

GATES: list[tuple[str, list[list[str]]]] = [
    ("lint", [[f"{BIN}/ruff", "check", "."], [f"{BIN}/ruff", "format", "--check", "."], [f"{BIN}/mypy"]]),
    ("unit tests", [[*PYTEST, "-n", "2", "tests/course_utils", "tests/autograder", *PROJECT]]),
    ("audit", [[f"{BIN}/autograder", "audit"]]),
    ("notebooks", [[*PYTEST, "-n", "2", "--dist", "worksteal", "tests/notebooks", "--durations=12"]]),
    ("hostile", [[*PYTEST, "tests/hostile"]]),
    ("equality with nbgrader", [[*PYTEST, "tests/equality"]]),
    ("database and faults", [[*PYTEST, "-n", "2", "--dist", "loadfile", "tests/database", "tests/faults", "--durations=10"]]),
    ("browser", [[*PYTEST, "tests/browser"]]),
    ("colab", [[*PYTEST, "-n", "2", "--dist", "loadfile", "tests/colab", "--durations=5"]]),
]


def main(chosen: list[str]) -> int:
    failed, began = [], time.perf_counter()
    gates = [gate for gate in GATES if not chosen or gate[0].split()[0] in chosen]
    if not gates:
        sys.exit(f"there is no such gate; there are: {', '.join(name.split()[0] for name, _ in GATES)}")
    for name, commands in gates:
        print(f"\n=== {name} ===", flush=True)
        start = time.perf_counter()
        codes = [subprocess.run(command, cwd=ROOT, check=False).returncode for command in commands]
        bad = any(codes)
        failed += [name] if bad else []
        print(f"=== {name}: {'FAILED' if bad else 'passed'} in {time.perf_counter() - start:.0f} s", flush=True)
    print(f"\nall gates in {time.perf_counter() - began:.0f} s" + (f"; failed: {', '.join(failed)}" if failed else ""))
    print(f"gates: {len(gates) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
