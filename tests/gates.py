"""Everything that must hold before a change is taken: `make test` runs the gates that a change
breaks first, `make test-full` the long ones, CI both.

All gates run, whatever fails; as many at a time as there are cores for their processes, but alone
where attacks and faults are watched. What a gate says is printed whole when it has ended, with its
time. `python -m tests.gates hostile lint` runs single gates,
`python -m tests.gates quick` the fast ones, for work in between.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
PYTEST = [sys.executable, "-m", "pytest"]
CORES = os.cpu_count() or 1
TWO = ["-n", "2"]
# each process gets one half in order, so that few fixtures are made twice, and then helps the other
STEALING = [*TWO, "--dist", "worksteal"]
BY_FILE = [*TWO, "--dist", "loadfile"]
PROJECT = sorted(f"tests/{path.name}" for path in (ROOT / "tests").glob("test_*.py"))
UNIT = ["tests/course_utils", "tests/autograder", *PROJECT]
FAST = "not slow and not sandbox and not long"
BUILT = "tests/notebooks/test_built.py"
SLOWEST = "--durations=20"


@dataclass(frozen=True)
class Gate:
    """Commands that must end well, each of them."""

    name: str
    commands: list[list[str]]
    alone: bool = False  # what it watches would be disturbed by another gate
    processes: int = 2  # that compute at a time


@dataclass(frozen=True)
class Done:
    """What became of a gate, and what it said, unless that is on the terminal already."""

    gate: Gate
    good: bool
    seconds: float
    said: str = ""


LINT = Gate(
    "lint",
    [[f"{BIN}/ruff", "check", "."], [f"{BIN}/ruff", "format", "--check", "."], [f"{BIN}/mypy"]],
    processes=1,
)
TEST = [  # the longest first: then both ways are equally long
    Gate("unit tests", [[*PYTEST, *STEALING, "-m", "not long", *UNIT, SLOWEST]]),
    Gate("browser", [[*PYTEST, *STEALING, "-m", "not long", "tests/browser", SLOWEST]]),
    Gate("hostile", [[*PYTEST, "-m", "not long", "tests/hostile", SLOWEST]], alone=True),
    Gate("audit", [[f"{BIN}/autograder", "audit"], [f"{BIN}/autograder", "audit", "--written"]]),
    LINT,
    Gate("built notebooks", [[*PYTEST, BUILT, SLOWEST]], processes=1),
]
FULL = [
    Gate(
        "notebooks",
        [[*PYTEST, *STEALING, "tests/notebooks", f"--ignore={BUILT}", SLOWEST]],
    ),
    Gate(
        "database and faults",
        [[*PYTEST, *STEALING, "tests/database", "tests/faults", SLOWEST]],
        alone=True,
    ),
    Gate("long unit tests", [[*PYTEST, *STEALING, "-m", "long", *UNIT, SLOWEST]]),
    Gate(
        "hostile at level 2",
        [[*PYTEST, *BY_FILE, "-m", "long", "tests/hostile", SLOWEST]],
        alone=True,
    ),
    Gate("heavy pages", [[*PYTEST, *STEALING, "-m", "long", "tests/browser", SLOWEST]]),
    Gate("colab", [[*PYTEST, *BY_FILE, "tests/colab", SLOWEST]]),
    Gate("equality with nbgrader", [[*PYTEST, "tests/equality"]], processes=1),
    Gate("matrix", [[*PYTEST, "-s", "tests/matrix"]], alone=True),
    Gate("any nbgrader course", [[*PYTEST, "tests/any_course", SLOWEST]], processes=1),
]
QUICK = [
    Gate("fast unit tests", [[*PYTEST, *STEALING, "-m", FAST, *UNIT, "--durations=5"]]),
    LINT,
]
SETS = {"test": TEST, "full": FULL, "quick": QUICK, "all": TEST + FULL}


def chosen(names: list[str]) -> list[Gate]:
    names = names or ["test"]
    if len(names) == 1 and names[0] in SETS:
        return SETS[names[0]]
    gates = [gate for gate in SETS["all"] if gate.name.split()[0] in names]
    if not gates:
        known = ", ".join(gate.name.split()[0] for gate in SETS["all"])
        sys.exit(f"there is no such gate; there are: {', '.join(SETS)}, {known}")
    return gates


def run(gate: Gate, alone: bool) -> Done:
    """Run a gate; what it says goes straight to the terminal if nothing runs beside it."""
    print(f"=== {gate.name} has begun", flush=True)
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        where = None if alone else log
        codes = [
            subprocess.run(
                each, cwd=ROOT, check=False, stdout=where, stderr=where and subprocess.STDOUT
            ).returncode
            for each in gate.commands
        ]
        seconds = time.perf_counter() - start
        log.seek(0)
        return Done(gate, not any(codes), seconds, log.read())


class Room:
    """Processors that gates share: each takes as many as it has processes, and waits for them."""

    def __init__(self) -> None:
        self.free, self.changed = CORES, threading.Condition()

    @contextmanager
    def taken(self, processes: int) -> Iterator[None]:
        wanted = min(processes, CORES)
        with self.changed:
            self.changed.wait_for(lambda: self.free >= wanted)
            self.free -= wanted
        try:
            yield
        finally:
            with self.changed:
                self.free += wanted
                self.changed.notify_all()


def run_all(gates: list[Gate]) -> Iterator[Done]:
    room, single = Room(), len(gates) == 1

    def beside(gate: Gate) -> Done:
        with room.taken(gate.processes):
            return run(gate, single)

    together = [gate for gate in gates if not gate.alone]
    with ThreadPoolExecutor(len(together) or 1) as pool:
        for future in as_completed([pool.submit(beside, gate) for gate in together]):
            yield future.result()
    for gate in gates:
        if gate.alone:
            yield run(gate, single)


def main(names: list[str]) -> int:
    failed, began, gates = [], time.perf_counter(), chosen(names)
    for done in run_all(gates):
        failed += [] if done.good else [done.gate.name]
        ending = "passed" if done.good else "FAILED"
        print(f"\n=== {done.gate.name} ===\n{done.said}", end="")
        print(f"=== {done.gate.name}: {ending} in {done.seconds:.0f} s\n", flush=True)
    ending = f"; failed: {', '.join(failed)}" if failed else ""
    print(f"all gates in {time.perf_counter() - began:.0f} s{ending}")
    print(f"gates: {len(gates) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
