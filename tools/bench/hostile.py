"""How long a class of nothing but hostile submissions takes, against what it may take: `python -m
tools.bench.hostile [SUBMISSIONS] [--json]`.

With small limits. What it may take is (submissions × limit of each ÷ workers), all second tries
together, and the start; beside it stand how many second tries there were, and the longest time that
one submission held its worker.
"""

import copy
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from autograder.authoring.release import new_course, release
from autograder.course import Course
from autograder.grading import results, run
from autograder.grading.launch import open_sandbox
from autograder.grading.pool import LocalPool
from autograder.grading.worker import Job

UNIT = "01_nadaraya_watson"
SECONDS, WORKERS = 4.0, 2
LIMITS = f"""
[limits]
cell_seconds = 1
submission_seconds = {SECONDS:g}
cpu_seconds = 3
memory_mb = 500
processes = 24
disk_mb = 4
output_kb = 256
"""
CALLED = "def softmax(scores, dim=-1):\n    "
KINDS = {  # each with its own bound, should nothing stop it
    "endless cell": "import time\nend = time.monotonic() + 60\nwhile time.monotonic() < end: pass",
    "endless answer": f"import time\n{CALLED}end = time.monotonic() + 60\n"
    "    while time.monotonic() < end: pass",
    "deaf to interrupts": "import time\nend = time.monotonic() + 60\n"
    "while time.monotonic() < end:\n    try:\n        while time.monotonic() < end: pass\n"
    "    except BaseException: pass",
    "sleeping cell": "import time\ntime.sleep(60)",
    "sleeping answer": f"import time\n{CALLED}time.sleep(60)",
    "a little slow": f"import time\n{CALLED}time.sleep(0.3); return scores",
    "fork bomb": "import os, time\ntokens, fill = os.pipe()\nos.write(fill, b'x' * 200)\n"
    "os.close(fill)\nwhile os.read(tokens, 1):\n    os.fork()\ntime.sleep(60)",
    "memory": "hoard = [b'x' * (32 << 20) for _ in range(32)]",
    "memory in children": "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n"
    "        hoard = os.urandom(1 << 20) * 100\n        time.sleep(60)\n        os._exit(0)\n"
    "time.sleep(60)",
    "stops the clock": "import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n"
    "        end = time.monotonic() + 1\n        while time.monotonic() < end: pass\n"
    "        time.sleep(60)\ntime.sleep(60)",
    "crashes": "import os\nos.abort()",
    "crashes when called": f"import os\n{CALLED}os.abort()",
    "flood": "for _ in range(10_000): print('x' * 1000)",
    "full disk": "for number in range(64): open(f'{number}', 'wb').write(bytes(1 << 20))",
}


class Counting:
    """The pool of this machine, which notes how often each submission was carried to a worker."""

    def __init__(self, pool: LocalPool) -> None:
        self.pool, self.size = pool, pool.size
        self.tries: Counter[str] = Counter()

    def carry(self, request: bytes, seconds: float) -> bytes:
        self.tries[Job.from_bytes(request).student] += 1
        return self.pool.carry(request, seconds)

    def close(self) -> None:
        self.pool.close()


def hand_in(course: Course, submissions: int) -> dict[str, str]:
    """Who has handed in what: every kind in turn, in every answer of the notebook."""
    released = json.loads(course.released(UNIT).read_text(encoding="utf-8"))
    kinds = {}
    for number in range(submissions):
        student, kind = f"student{number:03d}", list(KINDS)[number % len(KINDS)]
        notebook = copy.deepcopy(released)
        for cell in notebook["cells"]:
            known = cell["metadata"].get("nbgrader", {})
            if known.get("solution") and cell["cell_type"] == "code":
                cell["source"] = KINDS[kind].replace("softmax", known["grade_id"])
        path = course.submitted / student / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(notebook), encoding="utf-8")
        kinds[student] = kind
    return kinds


def measure(submissions: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        course = new_course(Path(folder) / "course")
        (course.root / "course.toml").write_text(LIMITS)
        release(course, UNIT)
        kinds = hand_in(course, submissions)
        began = time.monotonic()
        sandbox, _ = open_sandbox(UNIT, 3, secret_paths=course.secret_paths)
        with sandbox:
            pool = Counting(LocalPool(WORKERS, UNIT, sandbox.launcher))
            start = time.monotonic() - began
            summary = run.grade(course, UNIT, pool=pool)
            pool.close()
        seconds = time.monotonic() - began
        found = {name: results.read(course.root, UNIT, name) for name in kinds}
    return report(kinds, found, pool.tries, seconds, start) | {
        "graded": summary.graded,
        "load": round(os.getloadavg()[0], 1),
    }


def report(
    kinds: dict[str, str],
    found: dict[str, results.Result | None],
    tries: Counter[str],
    seconds: float,
    start: float,
) -> dict[str, Any]:
    first = len(kinds) * SECONDS / WORKERS
    # the last second try may begin just before their time is over
    second = (run.SECOND_TRIES + 1) * SECONDS
    held = {student: result.seconds for student, result in found.items() if result is not None}
    longest: dict[str, float] = {}
    for student, worked in held.items():
        longest[kinds[student]] = max(longest.get(kinds[student], 0.0), worked)
    return {
        "submissions": len(kinds),
        "workers": WORKERS,
        "limit": SECONDS,
        "seconds": round(seconds, 1),
        "start_seconds": round(start, 1),
        "allowed_seconds": round(first + second + start, 1),
        "share": round(seconds / (first + second + start), 2),
        "first_tries": len(tries),
        "second_tries": sum(tries.values()) - len(tries),
        "most_tries_of_one": max(tries.values()),
        "longest_seconds": {kind: round(most, 2) for kind, most in sorted(longest.items())},
        # of the submissions' own processes: what the limits grant, however busy the machine is
        "cpu_seconds": round(sum(each.cpu_seconds for each in found.values() if each), 1),
        "most_cpu_seconds": max((each.cpu_seconds for each in found.values() if each), default=0.0),
        "points": sum(result.score for result in found.values() if result is not None),
    }


def main(arguments: list[str]) -> None:
    found = measure(next((int(each) for each in arguments if each.isdigit()), 100))
    if "--json" in arguments:
        print(json.dumps(found))
        return
    print(
        f"{found['submissions']} hostile submissions on {found['workers']} workers, "
        f"{found['limit']:g} s each: {found['seconds']} s of at most {found['allowed_seconds']} s "
        f"({found['share']:.0%}), {found['start_seconds']} s of them to start; "
        f"{found['second_tries']} second tries; {found['points']:g} points"
    )
    print(
        f"processor time of the submissions: {found['cpu_seconds']} s, at most "
        f"{found['most_cpu_seconds']:.1f} s of one; load of the machine {found['load']}"
    )
    for kind, most in found["longest_seconds"].items():
        print(f"  {kind:20} held its worker for at most {most:.2f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
