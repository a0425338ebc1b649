"""What a child may use: set by the kernel from inside, watched from outside."""

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

from autograder.sandbox.cgroups import Group
from autograder.sandbox.confinement import Confinement

FILES = 256  # open at once
FRESH = 0.05  # seconds for which a look at the processes is good enough
NEIGHBOUR = 8  # processes and threads that are expected of a child beside this one


@dataclass(frozen=True)
class Company:
    """With whom a child shares its user number, where it has none of its own."""

    warm: int = 0  # the process that forked it and its neighbours
    neighbours: int = 0


ALONE = Company()


def apply(confinement: Confinement, company: Company = ALONE) -> None:
    """Set the limits of this process, which its children inherit; the whole tree is watched from
    outside.
    """
    import resource

    memory = mapped() + confinement.memory_mb * 2**20  # what is mapped already is not the student's
    cpu = max(1, round(confinement.cpu_seconds)) + int(time.process_time())
    processes = confinement.processes
    if not has_own_user(confinement):
        # a share for each neighbour, not what it has now: else one fork bomb would raise the
        # limit of the next
        processes += tasks_outside(os.getuid(), company.warm) + NEIGHBOUR * company.neighbours
    for name, value, hard in (
        ("AS", memory, memory),
        ("CPU", cpu, cpu + 2),
        ("NPROC", processes, processes),
        ("FSIZE", confinement.disk_mb * 2**20, confinement.disk_mb * 2**20),
        ("NOFILE", FILES, FILES),
        ("CORE", 0, 0),
        ("MEMLOCK", 0, 0),
    ):
        kind = getattr(resource, f"RLIMIT_{name}")
        ceiling = resource.getrlimit(kind)[1]
        within = hard if ceiling == resource.RLIM_INFINITY else min(hard, ceiling)
        resource.setrlimit(kind, (min(value, within), within))


def limit_own_memory(megabytes: int) -> None:
    """Let this trusted process map at most so much more than it has now: then it fails, not the
    machine.

    The hard limit stays, so that children with limits of their own can be started.
    """
    try:
        import resource
    except ImportError:
        return  # Windows has no such limit
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = mapped() + megabytes * 2**20
    with contextlib.suppress(ValueError, OSError):  # macOS refuses
        resource.setrlimit(
            resource.RLIMIT_AS,
            (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard),
        )


def mapped() -> int:
    """Bytes of address space that this process uses."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 8 << 30  # not Linux: a guess


@dataclass(frozen=True)
class Usage:
    """What a tree of processes uses at a moment."""

    memory_mb: float
    cpu_seconds: float
    tasks: int  # processes and threads: the kernel counts both against the limit on processes


class Tree:
    """A process and its descendants, looked at again and again."""

    def __init__(self, pid: int, group: Group | None = None) -> None:
        self.pid, self.group = pid, group
        self.looked = time.monotonic()
        self.pids: list[int] = []
        self.most_tasks = 0  # that were seen at once
        self.cpu = self.before = 0.0  # seconds so far, and of them before the first order
        self.waited = 0.0  # seconds in which at least one process waited for a processor
        self._seen: dict[int, tuple[float, float]] = {}  # pid -> own processor time, own waiting

    def sample(self) -> None:
        """Look at all processes now, unless that was done a moment ago."""
        now = time.monotonic()
        if self.pids and now - self.looked < FRESH:
            return
        first, interval = not self.pids, now - self.looked
        self.pids, self.looked = tree(self.pid), now
        total = longest = 0.0
        for pid in self.pids:
            own, of_children = _cpu(pid)
            waited = _waited(pid)
            longest = max(longest, waited - self._seen.get(pid, (0.0, 0.0))[1])
            self._seen[pid] = own, waited
            total += own + of_children
        # a process that nobody waited for takes its time with it, unless it was seen alive
        ever = sum(own for own, _ in self._seen.values())
        self.cpu = max(self.cpu, total, ever, self.group.cpu() if self.group is not None else 0.0)
        if not first:
            self.waited += min(longest, interval)

    def forgive(self) -> None:
        """What was used until now was for the start."""
        self.sample()
        self.before = self.cpu

    def look(self, suspicious_mb: float) -> Usage:
        """What the tree uses.

        Resident pages are cheap to read but count shared ones again and again: look closer only
        above `suspicious_mb`.
        """
        self.sample()
        memory = sum(_resident(pid) for pid in self.pids) / 2**20
        if memory > suspicious_mb:
            memory = sum(_proportional(pid) for pid in self.pids) / 2**20
        tasks = sum(_tasks(pid) for pid in self.pids)
        self.most_tasks = max(self.most_tasks, tasks)
        return Usage(memory, self.cpu - self.before, tasks)


class Stopwatch:
    """How long a child has worked on an order, fairly: while the machine keeps it waiting for a
    processor, the watch stands still.

    What counts is the processor time of the whole tree, or the time on the wall without such
    waiting, whichever is more: so neither a loaded machine fails an honest answer, nor does
    sleeping, nor do many processes at once, buy time. Many that wait at once wait once.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree, self.began = tree, time.monotonic()
        self.first: tuple[float, float] | None = None

    def mark(self) -> None:
        """Look at the processes. An order that is done in a moment never needs it."""
        self.tree.sample()
        if self.first is None:
            self.first = self.tree.cpu, self.tree.waited

    @property
    def cpu(self) -> float:
        return self.tree.cpu - self.first[0] if self.first is not None else 0.0

    @property
    def waited(self) -> float:
        return self.tree.waited - self.first[1] if self.first is not None else 0.0

    def wall(self) -> float:
        return time.monotonic() - self.began

    def used(self) -> float:
        return max(self.cpu, self.wall() - self.waited)


def _waited(pid: int) -> float:
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0  # not told by this system: then the wall clock decides


def tree(pid: int) -> list[int]:
    """A process and all its descendants, parents first."""
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


def end_tree(pid: int, seconds: float = 5.0) -> None:
    """Kill a process and all its descendants: first they are frozen, until none appears any more,
    since whoever is killed one by one can fork faster."""
    frozen: set[int] = set()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        moving = [each for each in tree(pid) if each not in frozen]
        if not moving:
            break
        for each in moving:
            _send(each, signal.SIGSTOP)
            frozen.add(each)
    for each in frozen:
        _send(each, signal.SIGKILL)


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, number)


def has_own_user(confinement: Confinement) -> bool:
    """Does the kernel count this child's processes apart from all others?"""
    return bool(confinement.uid) or confinement.level >= 3


def tasks_outside(uid: int, warm: int = 0) -> int:
    """Processes and threads that a user has now, without what a warm process has forked."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        with contextlib.suppress(OSError, IndexError, ValueError):
            if os.stat(f"/proc/{name}").st_uid == uid:
                parents[int(name)] = parent(int(name))
    forked = {warm} if warm else set()
    while more := {pid for pid, parent in parents.items() if parent in forked} - forked:
        forked |= more
    return sum(_tasks(pid) for pid in parents.keys() - (forked - {warm}))


def _stat(pid: int) -> list[bytes]:
    """What the kernel says of a process, after its name: that may hold any bytes."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()


def parent(pid: int) -> int:
    """Who started a process, or has adopted it."""
    return int(_stat(pid)[1])


def most_processes(pid: int) -> int:
    """How many processes the kernel lets the user of this one have; 0 if that cannot be read."""
    with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/limits") as file:
        return next((int(line.split()[2]) for line in file if line.startswith("Max proc")), 0)
    return 0


def _resident(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """A shared page counts as its share: a forked neighbour's libraries are not this student's
    memory.
    """
    try:
        return _pss(pid)
    except PermissionError:  # a root without the right to look at others may do so as their user
        try:
            with _seen_as(os.stat(f"/proc/{pid}").st_uid):
                return _pss(pid)
        except OSError:
            return _resident(pid)
    except (OSError, IndexError):
        return _resident(pid)


def _pss(pid: int) -> int:
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))


@contextlib.contextmanager
def _seen_as(uid: int) -> Iterator[None]:
    """Let the kernel take this thread for a child's user when it opens files."""
    libc = ctypes.CDLL(None)
    user, group = libc.setfsuid(-1), libc.setfsgid(-1)  # an impossible number changes nothing
    libc.setfsgid(uid)  # a child's group has the same number
    libc.setfsuid(uid)
    try:
        yield
    finally:
        libc.setfsuid(user)
        libc.setfsgid(group)


def _tasks(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return 0


def _cpu(pid: int) -> tuple[float, float]:
    """Processor time of a process, and of its children that it waited for."""
    try:
        fields = [int(value) for value in _stat(pid)[11:15]]
        tick = os.sysconf("SC_CLK_TCK")
        return (fields[0] + fields[1]) / tick, (fields[2] + fields[3]) / tick
    except (OSError, IndexError, ValueError):
        return 0.0, 0.0
