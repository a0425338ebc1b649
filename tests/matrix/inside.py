"""Run in some surroundings: the proof, then the denial family against the level that holds; what
came of it, as JSON.

Beside the attacks there are a neighbour (another child of the same warm process) and a bystander
(an ordinary process of the
same user), who must get their answers and their processor time all the while.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from autograder.sandbox import cgroups
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import AnyChild, ChildDied, LimitHit, Order, SandboxError
from autograder.sandbox.plain_child import PlainChild
from autograder.sandbox.proof import highest, reasons
from autograder.sandbox.warm import Warm
from autograder.sandbox.wire import WireError

PROGRAMS = Path(__file__).resolve().parents[1] / "hostile" / "programs" / "denial"
AT_ONCE, PROCESSES, OUTPUT = 4, 40, 256
STOPPED = ("fork_bomb", "memory_in_children")  # a limit must have ended them
BYSTANDER = """
import sys, time
for line in sys.stdin:
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    print("done", flush=True)
"""


def programs(level: int) -> list[tuple[str, str]]:
    """The attacks that a level holds; those that need torch are left to the hostile suite."""
    found = []
    for path in sorted(PROGRAMS.glob("*.py")):
        text = path.read_text()
        least = int(match[1]) if (match := re.search(r"^# level: (\d)", text, re.M)) else 1
        if level >= least and "torch" not in text:
            found.append((path.stem, text))
    return found


Launch = Callable[[Confinement], AnyChild]


def attack(level: int, launch: Launch, text: str) -> tuple[str, int]:
    """Run one program in a child of its own; how it ended, and how many processes it had."""
    values = {"PID": str(os.getpid()), "SLEEP": "61", "STUDENT": "x"}
    text = re.sub("@([A-Z]+)@", lambda match: values.get(match[1], "x"), text)
    confinement = Confinement(
        level=level, processes=PROCESSES, memory_mb=400, cpu_seconds=4, disk_mb=8
    )
    child = launch(confinement)
    try:
        ended = order(child, text)
    finally:
        child.close()
    return ended, child.tree.most_tasks


def order(child: AnyChild, text: str) -> str:
    cells = [text, "softmax(None)"] if "def softmax" in text else [text]
    try:
        for code in cells:
            answer, _ = child.order("cell", Order(0.5, polite=True), {"code": code})
            if "interrupted" in answer:  # it was stopped in time, and let itself be stopped
                return "cell_seconds"
        return "done"
    except LimitHit as hit:
        return hit.limit
    except ChildDied:
        return "died"
    except WireError:
        return "no data"


class Beside:
    """The neighbour and the bystander, asked again and again."""

    def __init__(self, neighbour: AnyChild) -> None:
        self.neighbour = neighbour
        self.bystander = subprocess.Popen(
            [sys.executable, "-c", BYSTANDER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.answers = 0

    def ask(self) -> None:
        texts: list[str] = []

        def keep(output: dict[str, Any]) -> None:
            texts.append(output["text"])

        self.neighbour.order("cell", Order(20.0), {"code": "print(6 * 7)"}, keep)
        assert "".join(texts) == "42\n", texts
        assert self.bystander.stdin is not None
        assert self.bystander.stdout is not None
        self.bystander.stdin.write("go\n")
        self.bystander.stdin.flush()
        assert self.bystander.stdout.readline() == "done\n"
        self.answers += 1

    def close(self) -> None:
        self.neighbour.close()
        self.bystander.kill()
        self.bystander.wait()


def outcome_of(future: "Future[tuple[str, int]]") -> tuple[str, int]:
    try:
        return future.result()
    except SandboxError as error:
        return f"SANDBOX: {error}", 0


def processes() -> set[int]:
    """All of this pid namespace, without those that are dead and only not yet buried."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
        if state != b"Z":
            found.add(int(name))
    return found


@contextmanager
def launching(level: int) -> Iterator[Launch]:
    """How children of a level are started: from a warm process, or each by itself."""
    if level == 0:
        yield lambda confinement: PlainChild(confinement, OUTPUT)
        return
    with Warm(level, modules=("IPython",)) as warm:
        yield lambda confinement: Child(warm.address, confinement, OUTPUT)


def siege(level: int) -> dict[str, Any]:
    """Run all attacks, some at once; what came of each, who survived, who was heard meanwhile."""
    with launching(level) as launch:
        before = processes()
        beside = Beside(launch(Confinement(level=level)))
        with ThreadPoolExecutor(AT_ONCE) as threads:
            tried = {
                name: threads.submit(attack, level, launch, text) for name, text in programs(level)
            }
            while wait(tried.values(), timeout=0.05).not_done:
                beside.ask()
        beside.ask()
        beside.close()
        outcomes = {name: outcome_of(future) for name, future in tried.items()}
        for name, text in programs(level):
            # beside a fork bomb of the same user nobody can fork: then it is tried alone
            if name in STOPPED and outcomes[name][0] == "done":
                outcomes[name] = attack(level, launch, text)
        return {
            "outcomes": {name: ended for name, (ended, _) in outcomes.items()},
            "most_tasks": max(tasks for _, tasks in outcomes.values()),
            "survivors": sorted(processes() - before),
            "answers": beside.answers,
        }


def kinds_of_groups() -> list[str]:
    """What control groups can do here."""
    group = cgroups.make(Confinement())
    if group is None:
        return []
    files = {"kill": "cgroup.kill", "processes": "pids.max", "memory": "memory.max"}
    found = [
        kind
        for kind, name in files.items()
        if any(os.path.exists(f"{folder}/{name}") for folder in group.folders)
    ]
    group.remove()
    return found


def main() -> None:
    proof, tried = highest()
    level = proof.level if proof is not None else 0
    report = {"level": level, "reasons": reasons(tried), "groups": kinds_of_groups()}
    report["uid"] = os.getuid()
    print(json.dumps(report | siege(level)))


if __name__ == "__main__":
    main()
