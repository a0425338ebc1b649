"""Sets up something worth stealing, lets a child attack, and says what held."""

import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograder.sandbox.attack import NEEDED, PROMISES
from autograder.sandbox.client import Child, ChildDied, LimitHit, Order, SandboxError, Warm
from autograder.sandbox.cold import ColdChild
from autograder.sandbox.plan import Plan
from autograder.sandbox.wire import WireError

LEVELS = (3, 2, 1, 0)
VARIABLE = "AUTOGRADER_CANARY"
REMEDIES = {  # what a level needs, in words
    3: "level 3 needs Linux with namespaces (root, or user namespaces for ordinary users), seccomp (the package libseccomp2) and Landlock (kernel 5.13 or newer)",
    2: "level 2 needs Linux with seccomp (the package libseccomp2) and Landlock (kernel 5.13 or newer)",
    1: "level 1 needs a Unix",
    0: "",
}


@dataclass(frozen=True)
class Proof:
    """What was tried at a level: attack -> did the wall hold; `error` if the level could not even be built."""

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


def prove(launch: Callable[[], Child], plan: Plan, modules: tuple[str, ...] = (), secret_paths: tuple[str, ...] = ()) -> Proof:
    """Attack a child from inside."""
    with canary() as (path, mark), socket.socket() as tcp, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        udp.setblocking(False)
        target = {
            "secrets": [str(path), *secret_paths],
            "mark": mark,
            "variables": [VARIABLE, "COURSE_SEED", "COURSE_GRADEBOOK"],
            "port": port,
            "pid": os.getpid(),
            "modules": list(modules),
            "disk_mb": plan.disk_mb,
        }
        try:
            with launch() as child:
                answer, _ = child.order("attack", Order(20.0), {"target": target})
        except (SandboxError, ChildDied, LimitHit, WireError) as error:
            return Proof(plan.level, {}, str(error) or type(error).__name__)
        held = {name: answer.get("held", {}).get(name) is True for name in PROMISES}
        try:
            udp.recv(64)
            held["udp"] = False  # it arrived
        except BlockingIOError:
            pass
    return Proof(plan.level, held)


def prove_level(level: int) -> Proof:
    """Build the walls of a level around a process that has imported nothing, and attack them."""
    modules = ("course_utils", "autograder.grading")
    plan = Plan(level=level)
    os.environ[VARIABLE] = "must not be seen"
    try:
        if not warm_is_possible(level):
            return prove(lambda: ColdChild("", plan), plan, modules) if level <= 1 else Proof(level, {}, "this is not Linux")
        with Warm(level, modules=()) as warm:
            return prove(lambda: Child(warm.address, plan), plan, modules)
    except (SandboxError, OSError) as error:
        return Proof(level, {}, str(error))
    finally:
        del os.environ[VARIABLE]


def warm_is_possible(level: int) -> bool:
    """Children are forked from a warm process where walls are possible at all; elsewhere each starts cold."""
    return level >= 1 and sys.platform.startswith("linux")


def highest(at_least: int = 0) -> tuple[Proof | None, list[Proof]]:
    """The highest level from 3 down to `at_least` that holds on this machine, and all that were tried."""
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
