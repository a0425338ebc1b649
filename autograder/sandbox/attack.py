"""Attacks the walls from inside, with what a student has: what is promised is what was tried and
failed.

Every trial of a limit has a bound of its own, so that a wall that fails costs little.
"""

import contextlib
import ctypes
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

PROMISES = {  # name of an attack -> what it means if it fails
    "files": "other files are unreadable",
    "environment": "the environment holds nothing of the grader",
    "tcp": "no TCP connection leaves the sandbox",
    "udp": "no UDP packet leaves the sandbox",
    "vsock": "no VSOCK socket can be made",
    "sockets": "no socket of another program can be reached",
    "terminal": "no terminal of anybody else can be opened",
    "signal": "other processes cannot be signalled",
    "memory": "other processes' memory and command lines are unreadable",
    "others": "other processes' limits and priorities cannot be changed",
    "rights": "other files cannot be changed, nor can their rights and times",
    "pids": "other processes are invisible",
    "library": "libraries are read-only",
    "course": "this unit's reference, the exercises and the judge cannot be imported",
    "privileges": "no privilege of root can be used or gained",
    "user": "the process is not root",
    "processes": "processes beyond the limit are refused",
    "space": "memory beyond the limit is refused, and ends the process if it is in several",
    "hidden_space": "memory that belongs to no process cannot be had",
    "time": "processor time beyond the limit ends it, also in several processes",
    "sleep": "waiting beyond the limit ends it",
    "file_size": "a file beyond the limit is refused",
    "disk": "disk space is limited in total",
    "end": "whatever it starts ends with it",
    "namespace": "no new user namespace can be made",  # last: if it can, the process has changed
}
ALONE = ("processes", "space", "time", "sleep")  # in a child of its own, which may have to die
DAEMONS: list[int] = []  # numbers of processes that were left behind, as seen from inside
_LIMITS = ("environment", "user", "processes", "space", "time", "sleep", "file_size", "end")
NEEDED = {  # by level
    3: tuple(PROMISES),
    2: tuple(name for name in PROMISES if name not in ("pids", "disk")),
    1: _LIMITS,
    0: (),
}
BOUND = 15.0  # seconds after which a trial gives up by itself, also on a busy machine


def attack(target: dict[str, Any], names: list[str]) -> dict[str, bool]:
    """Try something against `target`; attack -> did the wall hold?"""
    held = {}
    for name in names:
        try:
            held[name] = bool(ATTACKS[name](target))
        except OSError:
            held[name] = name not in ALONE  # refused; trials of limits say what that means
        except Exception:
            held[name] = False  # an attack that could not be carried out proves nothing
    return held


def _files(target: dict[str, Any]) -> bool:
    for path in target["secrets"]:
        try:
            if os.path.isdir(path):
                if os.listdir(path):
                    return False
            else:
                with open(path, "rb") as file:
                    file.read(1)
                return False
        except OSError:
            continue
    return True


def _environment(target: dict[str, Any]) -> bool:
    return not any(
        target["mark"] in value or name in target["variables"] for name, value in os.environ.items()
    )


def _tcp(target: dict[str, Any]) -> bool:
    with socket.socket() as connection:
        connection.settimeout(0.5)
        connection.connect(("127.0.0.1", target["port"]))
    return False


def _udp(target: dict[str, Any]) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.sendto(target["mark"].encode(), ("127.0.0.1", target["port"]))
    return True  # whether it arrived is for the other side to say


def _vsock(target: dict[str, Any]) -> bool:
    socket.socket(40, socket.SOCK_STREAM).close()
    return False


def _sockets(target: dict[str, Any]) -> bool:
    """One that listens for connections, one that takes messages: whether those came is for the
    other side to say.
    """
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(target["mark"].encode(), target["messages"])
    with contextlib.suppress(OSError):
        for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM):
            end.sendto(target["mark"].encode(), target["messages"])
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(0.5)
        connection.connect(target["listener"])
    return False


def _terminal(target: dict[str, Any]) -> bool:
    if not target["terminal"]:
        return True  # the grader itself cannot have one
    os.close(os.open(target["terminal"], os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK))
    return False


def _others(target: dict[str, Any]) -> bool:
    import resource

    pid = target["pid"]
    if pid == os.getpid():
        return True
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    tries: list[Callable[[], object]] = [
        lambda: resource.prlimit(pid, resource.RLIMIT_CORE),
        lambda: os.setpriority(os.PRIO_PROCESS, pid, nice),
    ]
    return all(_refused(attempt) for attempt in tries)


def _rights(target: dict[str, Any]) -> bool:
    """Whether something came of it is for the other side to say."""
    path = target["secrets"][0]
    tries: list[Callable[[], object]] = [
        lambda: os.chmod(path, 0o777),
        lambda: os.utime(path, (0, 0)),
        lambda: os.truncate(path, 0),
        lambda: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)),
        lambda: os.setxattr(path, "user.mark", b"mine"),
        lambda: os.rename(path, f"{path}.old"),
        lambda: os.unlink(path),
    ]
    for attempt in tries:
        _refused(attempt)
    return True


def _signal(target: dict[str, Any]) -> bool:
    if target["pid"] == os.getpid():
        return True  # in our own pid namespace that number is ours
    os.kill(target["pid"], 0)
    return False


def _memory(target: dict[str, Any]) -> bool:
    if target["pid"] == os.getpid():
        return True
    for name in ("cmdline", "environ", "maps"):
        try:
            with open(f"/proc/{target['pid']}/{name}", "rb") as file:
                file.read(1)
            return False
        except OSError:
            continue
    return True


def _pids(target: dict[str, Any]) -> bool:
    others = [
        int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()
    ]
    return not others


def _namespace(target: dict[str, Any]) -> bool:
    return ctypes.CDLL(None, use_errno=True).unshare(0x10000000) != 0


def _library(target: dict[str, Any]) -> bool:
    with open(os.__file__, "r+"):
        return False


def _course(target: dict[str, Any]) -> bool:
    from importlib.util import find_spec

    for name in target["modules"]:
        try:
            if find_spec(name) is not None:
                return False
        except ImportError:
            continue
    return True


def _privileges(target: dict[str, Any]) -> bool:
    """Use some of root's privileges, and see that no program that is run can give any."""
    with open("mine", "w"):
        pass
    libc = ctypes.CDLL(None, use_errno=True)
    tries: list[Callable[[], object]] = [
        lambda: os.setresuid(0, 0, 0),
        lambda: os.setgroups([0]),
        lambda: os.chown("mine", 0, 0),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) - 1),
        lambda: os.mknod("device", 0o20666, os.makedev(1, 3)),
    ]
    used = [attempt for attempt in tries if not _refused(attempt)]
    can_gain = libc.prctl(39, 0, 0, 0, 0) != 1  # no_new_privs
    return not used and not can_gain


def _refused(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return True
    return False


def _user(target: dict[str, Any]) -> bool:
    return 0 not in os.getresuid()


@contextlib.contextmanager
def _children() -> Iterator[list[int]]:
    """A list for children, which are killed at the end, whatever happens."""
    pids: list[int] = []
    try:
        yield pids
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            os.waitpid(pid, 0)


def _fork(work: Callable[[], object], fork: Callable[[], int] = os.fork) -> int:
    """A child that does its work, waits, and gives up by itself."""
    pid = fork()
    if pid == 0:
        try:
            signal.alarm(round(BOUND))
            work()
            time.sleep(BOUND)
        finally:
            os._exit(0)
    return pid


def _fork_at_last() -> int:
    """Fork, in spite of a trial beside this one that uses up the user's processes for a moment."""
    for _ in range(100):
        with contextlib.suppress(BlockingIOError):
            return os.fork()
        time.sleep(0.05)
    return os.fork()


def _processes(target: dict[str, Any]) -> bool:
    with _children() as pids:
        for _ in range(target["processes"] + target["slack"]):
            try:
                pids.append(_fork(lambda: None))
            except OSError:
                return True
    return False


def _space(target: dict[str, Any]) -> bool:
    """Too much in one process must be refused; too much in three must end us before the answer."""
    try:
        bytearray((target["memory_mb"] + 8) << 20)
        return False
    except MemoryError:
        pass
    share = (target["memory_mb"] * 9 // 20) << 20
    with _children() as pids:
        for _ in range(3):
            pids.append(_fork(lambda: _hoard.append(b"x" * share), _fork_at_last))
        time.sleep(BOUND)
    return False


_hoard: list[bytes] = []


def _hidden_space(target: dict[str, Any]) -> bool:
    """A file in memory that is not mapped, and a segment that nobody is attached to."""
    if hasattr(os, "memfd_create") and not _refused(lambda: os.close(os.memfd_create("hidden"))):
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    segment: int = libc.shmget(0, ctypes.c_size_t(4096), 0o1600)
    if segment >= 0:
        libc.shmctl(segment, 0, None)  # remove it
    return segment < 0


def _time(target: dict[str, Any]) -> bool:
    """Three that compute must end us, who sleep."""
    with _children() as pids:
        for _ in range(3):
            pids.append(_fork(_burn, _fork_at_last))
        time.sleep(BOUND)
    return False


def _burn() -> None:
    end = time.monotonic() + BOUND
    while time.monotonic() < end:
        pass


def _sleep(target: dict[str, Any]) -> bool:
    time.sleep(BOUND)
    return False


def _file_size(target: dict[str, Any]) -> bool:
    try:
        with open("large", "wb", buffering=0) as file:
            for _ in range(target["disk_mb"] + 1):
                if file.write(bytes(1 << 20)) < 1 << 20:
                    return True
    finally:
        with contextlib.suppress(OSError):
            os.unlink("large")
    return False


def _disk(target: dict[str, Any]) -> bool:
    """Several files, each within the limit, in every folder that can be written."""
    folders = [each for each in (".", "/tmp", "/dev/shm") if os.access(each, os.W_OK)]
    return all(_is_limited(folder, target["disk_mb"]) for folder in folders)


def _is_limited(folder: str, disk_mb: int) -> bool:
    names = [f"{folder}/part{number}" for number in range(2 * disk_mb + 1)]
    part = bytes(1 << 20)[: (1 << 20) - 4096]
    try:
        for name in names:
            with open(name, "wb", buffering=0) as file:
                if file.write(part) < len(part):
                    return True
    except OSError:
        return True
    finally:
        for name in names:
            with contextlib.suppress(OSError):
                os.unlink(name)
    return False


def _end(target: dict[str, Any]) -> bool:
    """Leave a daemon: whether it survives is for the other side to say."""
    told, tell = os.pipe()
    pid = _fork_at_last()
    if pid == 0:
        with contextlib.suppress(OSError):
            os.setsid()
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        daemon = _fork_at_last()
        if daemon == 0:
            time.sleep(2 * BOUND)
        else:
            os.write(tell, str(daemon).encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(tell)
    DAEMONS.append(int(os.read(told, 32) or 0))
    os.close(told)
    return True


ATTACKS: dict[str, Callable[[dict[str, Any]], bool]] = {
    name: globals()[f"_{name}"] for name in PROMISES
}
