"""What a child may use: set by the kernel from inside, watched from outside."""

import os
import time
from dataclasses import dataclass

from autograder.sandbox.plan import Plan

FILES = 256  # open at once


def apply(plan: Plan) -> None:
    """Set the limits of this process, which its children inherit; the memory of the whole tree is watched from outside."""
    import resource

    try:
        with open("/proc/self/statm") as file:
            virtual = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")  # libraries that are mapped already are not the student's
    except OSError:
        virtual = 8 << 30  # not Linux: a guess
    memory = virtual + plan.memory_mb * 2**20
    cpu = max(1, round(plan.cpu_seconds))
    for name, value, hard in (
        ("AS", memory, memory),
        ("CPU", cpu, cpu + 2),
        ("NPROC", plan.processes, plan.processes),
        ("FSIZE", plan.disk_mb * 2**20, plan.disk_mb * 2**20),
        ("NOFILE", FILES, FILES),
        ("CORE", 0, 0),
        ("MEMLOCK", 0, 0),
    ):
        kind = getattr(resource, f"RLIMIT_{name}")
        ceiling = resource.getrlimit(kind)[1]
        within = hard if ceiling == resource.RLIM_INFINITY else min(hard, ceiling)
        resource.setrlimit(kind, (min(value, within), within))


@dataclass(frozen=True)
class Usage:
    """What a tree of processes uses at a moment."""

    memory_mb: float
    cpu_seconds: float
    tasks: int  # processes and threads: the kernel counts both against the limit on processes


class Stopwatch:
    """How long a child has worked on an order, fairly: while the machine keeps it waiting for a processor, the watch stands still.

    What counts is the processor time of the whole tree, or the time on the wall without such waiting, whichever is more: so
    neither a loaded machine fails an honest answer, nor does sleeping, nor do many processes at once, buy time.
    """

    def __init__(self, pid: int) -> None:
        self.pid, self.began = pid, time.monotonic()
        self.first: tuple[float, float] | None = None
        self.cpu = self.waited = 0.0

    def mark(self) -> None:
        """Begin to look at the processes. An order that is done in a moment never needs it."""
        if self.first is None:
            self.first = _spent(self.pid)

    def used(self) -> float:
        if self.first is not None:
            cpu, waited = (now - before for now, before in zip(_spent(self.pid), self.first, strict=True))
            self.cpu, self.waited = max(self.cpu, cpu), max(self.waited, waited)  # of a process that is gone nothing is to be seen
        return max(self.cpu, time.monotonic() - self.began - self.waited)


def _spent(pid: int) -> tuple[float, float]:
    """Processor time of a tree of processes, and time that it waited for a processor."""
    pids = tree(pid)
    return sum(map(_cpu, pids)), sum(map(_waited, pids))


def _waited(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0  # not told by this system: then the wall clock decides


def tree(pid: int) -> list[int]:
    """A process and all its descendants."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        try:
            tasks = os.listdir(f"/proc/{current}/task")
        except OSError:
            continue
        for task in tasks:
            try:
                with open(f"/proc/{current}/task/{task}/children") as file:
                    queue += [int(child) for child in file.read().split()]
            except OSError:
                continue
    return found


def usage(pid: int, suspicious_mb: float) -> Usage:
    """What the tree uses. Resident pages are cheap to read but count shared ones again and again: look closer only above `suspicious_mb`."""
    pids = tree(pid)
    resident = sum(_resident(each) for each in pids) / 2**20
    memory = sum(_proportional(each) for each in pids) / 2**20 if resident > suspicious_mb else resident
    return Usage(memory, sum(_cpu(each) for each in pids), sum(_tasks(each) for each in pids))


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """A shared page counts as its share: a forked neighbour's libraries are not this student's memory."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))
    except (OSError, IndexError):
        return _resident(pid)


def _tasks(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def _cpu(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return sum(int(value) for value in fields[11:15]) / os.sysconf("SC_CLK_TCK")  # own and that of children waited for
    except (OSError, IndexError, ValueError):
        return 0.0
