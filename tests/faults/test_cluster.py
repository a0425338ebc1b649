"""A Dask cluster of real processes with real keys, and what can go wrong with it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.grading import cluster as clusters
from autograder.grading import run
from autograder.grading.cluster import Cluster, check_address
from autograder.grading.results import RunSummary
from tests.conftest import need
from tests.faults.conftest import SEED, UNIT, environment
from tests.faults.machines import RUN, Machines, descendants, kill
from tests.faults.test_one_machine import once

pytestmark = pytest.mark.sandbox
Check = Callable[..., None]
WITHOUT_NAMESPACES = ("setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin")


def grade(course: Course, cluster: Cluster, **options: object) -> RunSummary:
    with contextlib.closing(cluster):
        return run.grade(course, "01", seed=SEED, pool=cluster, **options)  # type: ignore[arg-type]


def test_the_command_grades_on_workers_that_may_and_reports_those_that_may_not(
    course: Course, nothing_lost: Check, machines: Machines
) -> None:
    """As an instructor does it, by the scripts.

    One worker has lower walls, one another version of the course.
    """
    need(os.geteuid() == 0, "root, to take a right away from a worker")
    machines.scheduler()
    machines.worker()
    machines.worker(*WITHOUT_NAMESPACES)
    machines.worker(FAULTS="version")
    machines.cluster(workers=3).close()
    command: list[str | Path] = [
        RUN,
        "client",
        machines.keys / "client",
        sys.executable,
        "-m",
        "autograder.cli",
        "--course",
        course.root,
    ]
    command += ["grade", "01", "--json", "--dask", machines.address]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    summary = json.loads(done.stdout)
    assert summary["level"] == 3
    nothing_lost(course, summary["problems"])
    assert "3 workers" in done.stderr
    refusals = [line for line in done.stderr.splitlines() if "refuses" in line]
    assert len(refusals) == 2, "each says so once"
    assert any("sandbox level 3 does not hold on this machine" in line for line in refusals)
    assert any("another version of the course" in line for line in refusals)


def test_if_no_worker_may_grade_the_run_ends_and_says_why(
    course: Course, machines: Machines
) -> None:
    machines.scheduler()
    machines.worker(FAULTS="version")
    with pytest.raises(
        UserError, match=r"no worker of the cluster may grade: tls://.* another version"
    ):
        grade(course, machines.cluster(workers=1))
    assert not (course.root / "runs" / "results").exists()


def test_a_worker_is_killed_one_hangs_and_one_submission_is_poison(
    course: Course, nothing_lost: Check, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "ROUND_TRIP", 5.0)
    students = course.students(UNIT)
    faults = f"kill:{students[3]},hang:{students[5]}"
    machines.scheduler()
    workers = [machines.worker(FAULTS=faults) for _ in range(2)]

    def strike() -> None:
        grading = [
            process
            for each in workers
            for process in descendants(each.pid, "autograder.grading.worker")
        ]
        kill(
            grading[0].parent().pid
        )  # a worker of the cluster with its grading process; its nanny starts it again

    summary = grade(course, machines.cluster(workers=2), advance=once(strike, at=2))
    given_up = (students[3], students[5])
    nothing_lost(course, summary.problems, given_up=given_up)
    reasons = {each["student"]: each["reason"] for each in summary.problems}
    assert reasons[students[3]].startswith(
        "given up after two tries, nothing was recorded: the worker died (signal 9), on tls://"
    )
    assert reasons[students[5]].startswith(
        "given up after two tries, nothing was recorded: the worker did not answer within 45 s, "
        "on tls://"
    )
    assert not descendants(workers[0].pid, "autograder.sandbox.warm") or all(
        descendants(each.pid, "autograder.grading.worker")
        for each in workers
        if descendants(each.pid, "autograder.sandbox.warm")
    ), "a warm process ends with its grading process"


def test_the_scheduler_is_restarted_in_the_middle(
    course: Course, nothing_lost: Check, machines: Machines
) -> None:
    first = machines.scheduler()
    for _ in range(2):
        machines.worker()
    lines: list[str] = []

    def strike() -> None:
        first.kill()
        first.wait()
        machines.started.remove(first)
        back.start()

    def mend() -> None:
        while not any("does not answer" in line for line in lines) and not over.wait(0.02):
            pass
        machines.scheduler()

    over, back = threading.Event(), threading.Thread(target=mend)
    cluster = machines.cluster(lines.append, workers=2)
    try:
        summary = grade(course, cluster, advance=once(strike, at=2))
    finally:
        over.set()
        back.join()
    nothing_lost(course, summary.problems)
    assert any("does not answer" in line for line in lines)


def test_a_scheduler_that_stays_away_ends_the_run_in_words(
    course: Course, nothing_lost: Check, machines: Machines
) -> None:
    """And the next run, on this machine alone, goes on where it stopped."""
    scheduler = machines.scheduler()
    machines.worker()
    cluster = machines.cluster(workers=1)
    cluster.patience = 3.0
    with pytest.raises(UserError, match=r"has been away for 3 s\. What is recorded stays recorded"):
        grade(course, cluster, advance=once(scheduler.kill, at=2))
    assert len(list((course.root / "runs" / "results" / UNIT).glob("*.json"))) >= 2
    summary = run.grade(course, "01", seed=SEED)
    assert summary.skipped >= 2
    nothing_lost(course, summary.problems)


def test_the_coordinator_is_killed_and_started_again(
    course: Course, nothing_lost: Check, machines: Machines
) -> None:
    machines.scheduler()
    worker = machines.worker()
    machines.cluster(workers=1).close()
    command: list[str | Path] = [
        RUN,
        "client",
        machines.keys / "client",
        sys.executable,
        "-m",
        "autograder.cli",
        "--course",
        course.root,
    ]
    command += ["grade", "01", "--dask", machines.address]
    process = subprocess.Popen(
        command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    folder = course.root / "runs" / "results" / UNIT
    while len(list(folder.glob("*.json"))) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert worker.poll() is None
    summary = grade(course, machines.cluster(workers=1))
    assert summary.skipped + summary.graded == 8
    nothing_lost(course, summary.problems)


def test_nobody_gets_in_without_a_key_of_this_authority(machines: Machines, tmp_path: Path) -> None:
    machines.scheduler()
    machines.cluster().close()
    subprocess.run(
        [SOURCE_TREE / "cluster" / "certificates.sh", tmp_path / "foreign"],
        check=True,
        capture_output=True,
    )
    visit = (
        "import sys\nfrom distributed import Client\nClient(sys.argv[1], timeout=sys.argv[2])\n"
        "print('inside')"
    )

    def visitor(address: str, seconds: int, *before: str) -> "subprocess.CompletedProcess[str]":
        command = [*before, sys.executable, "-c", visit, address, f"{seconds} s"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    friend = visitor(machines.address, 120, RUN, "client", str(machines.keys / "client"))
    assert friend.stdout == "inside\n", friend.stderr
    foreign = str(tmp_path / "foreign" / "client")
    stranger = visitor(machines.address, 3, RUN, "client", foreign)
    plain = visitor(machines.address.replace("tls", "tcp"), 3)
    for refused, why in ((stranger, "certificate verify failed"), (plain, "CommClosedError")):
        assert (refused.returncode, refused.stdout) == (1, "")
        assert why in refused.stderr, "refused, not late"


def test_keys_are_readable_by_their_owner_only_and_never_overwritten(keys: Path) -> None:
    assert all(path.stat().st_mode & 0o077 == 0 for path in keys.rglob("*.pem"))
    again = subprocess.run(
        [SOURCE_TREE / "cluster" / "certificates.sh", keys],
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 2
    assert "has an authority already" in again.stderr


@pytest.mark.parametrize(
    "address",
    [
        "tcp://10.0.0.5:8786",
        "tcp://grading.example.org:8786",
        "10.0.0.5:8786",
        "",
        "http://localhost:8786",
    ],
)
def test_an_open_or_wrong_address_is_refused(address: str) -> None:
    with pytest.raises(UserError, match=r"not encrypted|not the address of a scheduler"):
        check_address(address)
    for good in (
        "tls://grading.example.org:8786",
        "tcp://127.0.0.1:8786",
        "tcp://localhost:1",
        "tcp://[::1]:1",
    ):
        check_address(good)


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="there is no scheduler that lets us in"):
        Cluster("tcp://127.0.0.1:1")


def test_tls_without_keys_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import dask

    with (
        dask.config.set({"distributed.comm.tls.client.key": None}),
        pytest.raises(UserError, match="DASK_CONFIG"),
    ):
        clusters._security("tls://127.0.0.1:1")
