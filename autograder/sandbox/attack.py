"""Attacks the walls from inside, with what a student has: what is promised is what was tried and failed."""

import ctypes
import os
import socket
from collections.abc import Callable
from typing import Any

PROMISES = {  # name of an attack -> what it means if it fails
    "files": "other files are unreadable",
    "environment": "the environment holds nothing of the grader",
    "tcp": "no TCP connection leaves the sandbox",
    "udp": "no UDP packet leaves the sandbox",
    "vsock": "no VSOCK socket can be made",
    "signal": "other processes cannot be signalled",
    "memory": "other processes' memory and command lines are unreadable",
    "pids": "other processes are invisible",
    "library": "libraries are read-only",
    "course": "this unit's reference, the exercises and the judge cannot be imported",
    "privileges": "the process has no capabilities and can get none",
    "user": "the process is not root",
    "limits": "memory, processor time, processes and file size are limited",
    "disk": "disk space is limited in total",
    "namespace": "no new user namespace can be made",  # last: where it succeeds, the process is no longer what it was
}
NEEDED = {  # by level
    3: tuple(PROMISES),
    2: ("files", "environment", "tcp", "udp", "vsock", "signal", "memory", "namespace", "library", "course", "privileges", "limits"),
    1: ("environment", "limits"),
    0: (),
}


def attack(target: dict[str, Any]) -> dict[str, bool]:
    """Try everything against `target` (secrets, pid, port, disk_mb); attack -> did the wall hold?"""
    held = {}
    for name in PROMISES:
        try:
            held[name] = bool(ATTACKS[name](target))
        except OSError:
            held[name] = True  # refused
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
    return not any(target["mark"] in value or name in target["variables"] for name, value in os.environ.items())


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


def _signal(target: dict[str, Any]) -> bool:
    os.kill(target["pid"], 0)
    return False


def _memory(target: dict[str, Any]) -> bool:
    for name in ("cmdline", "environ", "maps"):
        try:
            with open(f"/proc/{target['pid']}/{name}", "rb") as file:
                file.read(1)
            return False
        except OSError:
            continue
    return True


def _pids(target: dict[str, Any]) -> bool:
    others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
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
    with open("/proc/self/status") as file:
        status = dict(line.rstrip().split(":", 1) for line in file)
    return int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0 and status["NoNewPrivs"].strip() == "1"


def _user(target: dict[str, Any]) -> bool:
    return 0 not in os.getresuid()


def _limits(target: dict[str, Any]) -> bool:
    import resource

    wanted = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_FSIZE")
    return all(resource.getrlimit(getattr(resource, name))[0] != resource.RLIM_INFINITY for name in wanted)


def _disk(target: dict[str, Any]) -> bool:
    for folder in (".", "/tmp", "/dev/shm"):
        space = os.statvfs(folder)
        if os.access(folder, os.W_OK) and space.f_blocks * space.f_frsize > target["disk_mb"] * 2**20:
            return False
    return True


ATTACKS: dict[str, Callable[[dict[str, Any]], bool]] = {name: globals()[f"_{name}"] for name in PROMISES}
