"""Sets up something worth stealing, lets children attack, and says what held."""

import contextlib
import os
import secrets
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from autograder.sandbox.attack import ALONE, NEEDED, PROMISES
from autograder.sandbox.child import Child
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.levels import LEVELS, REMEDIES
from autograder.sandbox.orders import (
    AnyChild,
    ChildDied,
    LimitHit,
    Order,
    SandboxError,
    warm_is_possible,
)
from autograder.sandbox.plain_child import PlainChild
from autograder.sandbox.warm import Warm
from autograder.sandbox.wire import WireError

VARIABLE = "AUTOGRADER_CANARY"
ROOM = 48  # megabytes that a trial may use beyond what a child has from the start
SLACK = 96  # processes beyond the limit: neighbours have a share, others of the user may end
EXPECTED = {"space": "memory_mb", "time": "cpu_seconds", "sleep": "cell_seconds"}
Launch = Callable[[Confinement], AnyChild]


@dataclass(frozen=True)
class Proof:
    """What was tried at a level: attack -> did the wall hold; `error` if the level could not even
    be built.
    """

    level: int
    held: dict[str, bool]
    error: str = ""

    @property
    def holds(self) -> bool:
        return not self.error and all(self.held.get(name, False) for name in NEEDED[self.level])

    @property
    def broken(self) -> list[str]:
        return [PROMISES[name] for name in NEEDED[self.level] if not self.held.get(name, False)]


@contextmanager
def canary() -> Iterator[tuple[Path, str]]:
    """A file with a secret in a folder that any user may enter, and the secret."""
    mark = secrets.token_hex(12)
    with tempfile.TemporaryDirectory(prefix="canary-") as folder:
        os.chmod(folder, 0o755)
        path = Path(folder) / "gradebook.db"
        path.write_text(mark)
        yield path, mark


def prove(
    launch: Launch,
    confinement: Confinement,
    modules: tuple[str, ...] = (),
    secret_paths: tuple[str, ...] = (),
) -> Proof:
    """Attack children from inside; they are launched like those of a run, with small limits."""
    confinement = replace(confinement, processes=8, disk_mb=1)  # what is cheap to try
    with canary() as (path, mark), bait(path.parent) as worth:
        before = _state(path)
        target = {
            "secrets": [str(path), *secret_paths],
            "mark": mark,
            "variables": [VARIABLE, "COURSE_SEED", "COURSE_GRADEBOOK"],
            **worth.told,
            "pid": os.getpid(),
            "modules": list(modules),
            "disk_mb": confinement.disk_mb,
            "processes": confinement.processes,
            "slack": SLACK,
        }
        try:
            held = _try_everything(launch, confinement, target)
        except (SandboxError, ChildDied, LimitHit, WireError) as error:
            return Proof(confinement.level, {}, str(error) or type(error).__name__)
        held["udp"] &= not _arrived(worth.udp)
        held["sockets"] &= not _arrived(worth.messages)
        held["rights"] &= _state(path) == before
    return Proof(confinement.level, held)


@dataclass(frozen=True)
class Bait:
    """What listens outside, and where."""

    told: dict[str, Any]
    udp: socket.socket
    messages: socket.socket


@contextmanager
def bait(folder: Path) -> Iterator[Bait]:
    """Ports, sockets that anybody may use, and a terminal."""
    with contextlib.ExitStack() as stack:

        def made(family: int, kind: int, address: Any) -> socket.socket:
            each = stack.enter_context(socket.socket(family, kind))
            each.bind(address)
            each.setblocking(False)
            return each

        tcp = made(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        tcp.listen()
        udp = made(socket.AF_INET, socket.SOCK_DGRAM, tcp.getsockname())
        told = {"port": tcp.getsockname()[1], "listener": "", "messages": "", "terminal": ""}
        messages = udp
        if hasattr(socket, "AF_UNIX"):
            told |= {name: str(folder / name) for name in ("listener", "messages")}
            made(socket.AF_UNIX, socket.SOCK_STREAM, told["listener"]).listen()
            messages = made(socket.AF_UNIX, socket.SOCK_DGRAM, told["messages"])
            for name in ("listener", "messages"):
                os.chmod(told[name], 0o777)
        with contextlib.suppress(OSError, AttributeError):  # a container may have no terminals
            ours, theirs = os.openpty()
            stack.callback(os.close, ours)
            stack.callback(os.close, theirs)
            told["terminal"] = os.ttyname(theirs)
        yield Bait(told, udp, messages)


def _arrived(receiver: socket.socket) -> bool:
    try:
        return bool(receiver.recv(64))
    except BlockingIOError:
        return False


def _state(path: Path) -> tuple[Any, ...]:
    """All of a file that somebody could have changed."""
    try:
        found = path.stat()
        marks = os.listxattr(path) if hasattr(os, "listxattr") else []
        return found.st_mode, found.st_uid, found.st_mtime_ns, path.read_bytes(), marks
    except OSError as error:
        return (str(error),)


def _try_everything(
    launch: Launch, confinement: Confinement, target: dict[str, Any]
) -> dict[str, bool]:
    child = launch(confinement)
    daemons: list[int] = []
    try:
        # a forked child shares memory with the warm process: what it has now is not its own doing
        memory_mb = round(child.tree.look(0.0).memory_mb) + ROOM
        target = target | {"memory_mb": memory_mb}
        with ThreadPoolExecutor(len(ALONE)) as threads:
            trials = {
                name: threads.submit(_try_limit, launch, confinement, target, name)
                for name in ALONE
                if name in NEEDED[confinement.level]
            }
            names = [name for name in PROMISES if name not in ALONE]
            answer, _ = child.order("attack", Order(60.0), {"target": target, "names": names})
            held = {name: answer.get("held", {}).get(name) is True for name in names}
            daemons = [pid for pid in answer.get("daemons", []) if type(pid) is int and pid > 1]
            held |= {name: trial.result() for name, trial in trials.items()}
        for name in trials:  # a noisy moment proves nothing: once more, with nothing beside it
            held[name] = held[name] or _try_limit(launch, confinement, target, name)
    finally:
        held_to_the_end = _ends(child, daemons)
    return held | {"end": held_to_the_end}


def _ends(child: AnyChild, daemons: list[int]) -> bool:
    """Is what the child left behind gone with it? In a pid namespace the kernel sees to that, and
    the numbers that are known inside mean nothing here."""
    try:
        child.close()
    except SandboxError:
        return False
    if child.confinement.level == 3:
        return True
    deadline = time.monotonic() + 10.0
    while any(_runs(pid) for pid in daemons):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return bool(daemons)


def _runs(pid: int) -> bool:
    """Does this process live? One that is dead and waits to be buried does not."""
    try:
        return str(psutil.Process(pid).status()) != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _try_limit(launch: Launch, confinement: Confinement, target: dict[str, Any], name: str) -> bool:
    """Does a limit bind? Either the kernel refuses, or we end the child for that very reason."""
    order = Order(0.2 if name == "sleep" else 30.0)
    if name == "space":  # one small limit at a time: it must be this one that binds
        confinement = replace(confinement, memory_mb=target["memory_mb"])
    if name == "time":
        confinement = replace(confinement, cpu_seconds=0.2)
    with launch(confinement) as child:
        if name == "processes":  # forking is too fast to be watched: the kernel itself must refuse
            child.confinement = replace(child.confinement, processes=1000)
        try:
            answer, _ = child.order("attack", order, {"target": target, "names": [name]})
        except LimitHit as hit:
            return hit.limit == EXPECTED.get(name)
        except (SandboxError, ChildDied, WireError):
            return False
        return answer.get("held", {}).get(name) is True


def prove_level(level: int) -> Proof:
    """Build the walls of a level around a process that has imported nothing, and attack them."""
    modules = ("course_utils", "autograder.grading")
    confinement = Confinement(level=level)
    os.environ[VARIABLE] = "must not be seen"
    try:
        if not warm_is_possible(level):
            if level <= 1:
                return prove(PlainChild, confinement, modules)
            return Proof(level, {}, "this is not Linux")
        with Warm(level, modules=()) as warm:
            return prove(lambda confinement: Child(warm.address, confinement), confinement, modules)
    except (SandboxError, OSError) as error:
        return Proof(level, {}, str(error))
    finally:
        del os.environ[VARIABLE]


def highest(at_least: int = 0) -> tuple[Proof | None, list[Proof]]:
    """The highest level from 3 down to `at_least` that holds on this machine, and all that were
    tried.
    """
    tried: list[Proof] = []
    for level in LEVELS:
        if level < at_least:
            break
        tried.append(prove_level(level))
        if tried[-1].holds:
            return tried[-1], tried
    return None, tried


def reasons(tried: list[Proof]) -> list[str]:
    """Why the levels above the one that holds do not, one line each."""
    lines = []
    for proof in tried:
        if not proof.holds:
            why = proof.error or "it did not hold that " + ", ".join(proof.broken)
            lines.append(f"level {proof.level}: {why}; {REMEDIES[proof.level]}")
    return lines


__all__ = ["LEVELS", "Proof", "highest", "prove", "prove_level", "reasons"]
