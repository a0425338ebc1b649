"""What can go wrong on one machine.

After each fault nothing is lost, and nothing is there twice.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from autograder.course import SOURCE_TREE, Course
from autograder.grading import run
from autograder.grading.journal import Journal
from autograder.grading.launch import Launcher
from autograder.grading.pool import LocalPool
from tests.conftest import need
from tests.faults.conftest import SEED, UNIT, environment
from tests.faults.machines import descendants

pytestmark = pytest.mark.sandbox
Check = Callable[..., None]


def once(act: Callable[[], None], at: int = 1) -> Callable[[], None]:
    """Does something when so many submissions are done."""
    done: list[int] = []

    def advance() -> None:
        done.append(1)
        if len(done) == at:
            act()

    return advance


@pytest.mark.parametrize(
    ("fault", "reason"), [(signal.SIGKILL, "died"), (signal.SIGSTOP, "did not answer")]
)
def test_a_worker_dies_or_hangs_in_the_middle(
    course: Course,
    nothing_lost: Check,
    monkeypatch: pytest.MonkeyPatch,
    fault: signal.Signals,
    reason: str,
) -> None:
    monkeypatch.setattr(run, "ROUND_TRIP", 5.0)

    pools: list[LocalPool] = []

    def pool(size: int, unit: str, launcher: Launcher) -> LocalPool:
        pools.append(LocalPool(size, unit, launcher))
        return pools[0]

    def strike() -> None:
        os.kill(next(iter(pools[0].workers)).pid or 0, fault)

    monkeypatch.setattr(run, "LocalPool", pool)
    summary = run.grade(course, "01", seed=SEED, workers=2, advance=once(strike))
    nothing_lost(course, summary.problems)
    log = next((course.root / "runs" / "logs").glob("*")).read_text()
    assert f"to be tried once more, alone: the worker {reason}" in log


def test_a_submission_that_kills_its_worker_is_given_up(
    course: Course, nothing_lost: Check, start: Callable[..., "subprocess.Popen[str]"]
) -> None:
    victim = course.students(UNIT)[2]
    process = start(course, "grade", "01", "--json", FAULTS=f"kill:{victim}")
    out, err = process.communicate()
    assert process.returncode == 1, err
    problems = json.loads(out)["problems"]
    nothing_lost(course, problems, given_up=(victim,))
    told = next(each["reason"] for each in problems if each["student"] == victim)
    assert told == "given up after two tries, nothing was recorded: the worker died (signal 9)"


def test_the_coordinator_is_killed_and_started_again(
    course: Course, nothing_lost: Check, start: Callable[..., "subprocess.Popen[str]"]
) -> None:
    never = course.students(UNIT)[5]  # so that it is in the middle, however late it is killed
    process = start(course, "grade", "01", FAULTS=f"hang:{never}")
    folder = course.root / "runs" / "results" / UNIT
    while len(list(folder.glob("*.json"))) < 2:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    below = descendants(process.pid)
    process.kill()
    process.communicate()
    assert len(list(folder.glob("*.json"))) < 8, "it was killed in the middle"
    _, alive = psutil.wait_procs(below, timeout=60)
    assert not alive, "workers and children end with the coordinator"
    kept = {path.name: path.read_bytes() for path in folder.glob("*.json")}
    summary = run.grade(course, "01", seed=SEED)
    nothing_lost(course, summary.problems)
    assert all((folder / name).read_bytes() == data for name, data in kept.items()), (
        "what was graded is not graded again"
    )


FULL = """
set -eu
mkdir -p "$1"
mount -t tmpfs -o size=64m tmpfs "$1"
cp -r "$2/." "$1"
room=$(df --output=avail -k "$1" | tail -n 1)
head -c "$((room - $3))k" /dev/zero > "$1/filler"
code=0
"$4" -m autograder.cli --course "$1" grade 01 --json || code=$?
echo "exit code $code" >&2
ls -A "$1/runs/results/01_nadaraya_watson" >&2 || true
rm "$1/filler"
code=0
"$4" -m autograder.cli --course "$1" grade 01 --json || code=$?
cp -r "$1/." "$5"
exit "$code"
"""


@pytest.mark.parametrize("room_kb", [120, 500])
def test_the_disk_is_full_while_recording(
    course: Course, nothing_lost: Check, tmp_path: Path, room_kb: int
) -> None:
    """On a small disk of its own, full but for a little.

    Then there is room again, and the same command goes on.
    """
    private = (
        ["unshare", "--mount"]
        if os.geteuid() == 0
        else ["unshare", "--mount", "--user", "--map-root-user"]
    )
    need(
        shutil.which("unshare")
        and subprocess.run(
            [*private, "mount", "-t", "tmpfs", "tmpfs", tmp_path], check=False
        ).returncode
        == 0,
        "the right to mount a file system",
    )
    after = tmp_path / "after"
    after.mkdir()
    arguments = [str(tmp_path / "disk"), str(course.root), str(room_kb), sys.executable, str(after)]
    done = subprocess.run(
        [*private, "sh", "-c", FULL, "sh", *arguments],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "exit code 2" in done.stderr
    assert "autograder: " in done.stderr
    assert "No space left on device" in done.stderr or "disk is full" in done.stderr
    assert "same command" in done.stderr
    assert ".new" not in done.stderr, "nothing half written is left behind"
    summary = json.loads(done.stdout.splitlines()[-1])
    nothing_lost(Course(after), summary["problems"])


def test_a_torn_line_of_the_journal_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "unit.journal"
    journal = Journal(path)
    journal.add("ann", "f1")
    journal.close()
    with path.open("ab") as file:
        file.write(b"f2 be")  # of "bea": the disk was full
    journal = Journal(path)
    assert not journal.has("be", "f2")
    journal.add("bea", "f2")
    journal.close()
    again = Journal(path)
    assert again.has("ann", "f1")
    assert again.has("bea", "f2")
    again.close()


def test_without_a_cluster_dask_is_not_imported(course: Course) -> None:
    code = "import sys\nfrom autograder.cli import main\n"
    code += "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
    code += "roots = {name.split('.')[0] for name in sys.modules}\n"
    code += "print(sorted(roots & {'dask', 'distributed'}))"
    student = course.students(UNIT)[0]
    command = [
        sys.executable,
        "-c",
        code,
        "--course",
        str(course.root),
        "grade",
        "01",
        "--student",
        student,
    ]
    done = subprocess.run(
        command, env=environment(), cwd=SOURCE_TREE, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_what_a_worker_of_a_cluster_imports_is_light() -> None:
    """The judge and torch are in the grading process beside it.

    Not twice in memory, and no long import while a scheduler waits.
    """
    code = "import sys, autograder.grading.cluster\n"
    code += "print('distributed' in sys.modules, 'torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=SOURCE_TREE, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]
