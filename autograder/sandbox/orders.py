"""Orders for a process that nobody trusts: what one may cost, how it can end, and how to wait for
its answer.

Everything that a child answers is checked before it is believed to be even well formed.
"""

import contextlib
import os
import random
import shutil
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from autograder.sandbox import limits, wire
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.wire import WireError

ENVIRONMENT = (  # what a child inherits of it
    *("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "VIRTUAL_ENV"),
    *("FONTCONFIG_PATH", "MPLCONFIGDIR"),
)
WATCH = 0.1  # seconds between two looks at what a child uses
REFUSED = 0.75  # who fails with this share of its memory in use failed for want of memory
START = 180.0  # seconds that a process may take to be ready
Consider = Callable[[dict[str, Any], bytearray], bool]  # is this frame the answer?
OnOutput = Callable[[dict[str, Any]], None]
# Answers a question that the child asks while it works: what it asks, and the body of its frame
OnQuestion = Callable[[Any, bytearray], tuple[Any, list[bytes]]]


class SandboxError(Exception):
    """The sandbox itself failed, not the student: nothing can be said about the submission."""


class LimitHit(Exception):
    """The child used more than it may, and was killed; `limit` is its name in course.toml.

    `idle`: its time ran out while it mostly waited. `hindered`: for a good part of that the machine
    kept it waiting, so that another try on a quiet machine may end otherwise; it did not just
    sleep.
    """

    def __init__(
        self, limit: str, message: str, idle: bool = False, hindered: bool = False
    ) -> None:
        super().__init__(message)
        self.limit, self.idle, self.hindered = limit, idle, hindered


class ChildDied(Exception):
    """The child ended by itself while it had an order."""


@dataclass(frozen=True)
class Order:
    """What a child may use for one order."""

    seconds: float
    limit: str = "cell_seconds"  # which limit that is
    polite: bool = False  # interrupt before killing

    @property
    def wall(self) -> float:
        """Seconds after which it ends, however busy the machine is."""
        return 5 * self.seconds + 20


@dataclass
class Spent:
    """What a child used in all."""

    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    exit: int | None = None


class AnyChild(ABC):
    """One submission's process, seen from the trusted side; how orders reach it is for the two
    kinds to say.
    """

    def __init__(self, confinement: Confinement, output_kb: int = 2048) -> None:
        self.began = self.looked = time.monotonic()
        self.confinement, self.output_kb = confinement, output_kb
        self.received = 0  # bytes of output so far
        self.spent = Spent()
        self.start_seconds = 0.0
        self.sequence = random.SystemRandom().randrange(1 << 40)
        self.tree = limits.Tree(0)
        self.watch = limits.Stopwatch(self.tree)

    @abstractmethod
    def write(self, frame: bytes, deadline: float, allowed: Order) -> None:
        """Send a frame."""

    @abstractmethod
    def receive(self, deadline: float, consider: Consider, allowed: Order | None) -> None:
        """Read frames until one is the answer, and look after the child meanwhile."""

    @abstractmethod
    def kill(self) -> None:
        """Kill the child and everything that it started."""

    @abstractmethod
    def how_it_ended(self) -> Exception:
        """ChildDied or LimitHit, for a child that is no more."""

    @abstractmethod
    def close(self) -> Spent:
        """The end: nothing of the child is left."""

    def interrupt(self, hit: LimitHit, allowed: Order, consider: Consider) -> bool:
        """Ask politely for an end, where that is possible: did it come?"""
        return False

    def order(
        self,
        op: str,
        allowed: Order,
        fields: dict[str, Any],
        on_output: OnOutput | None = None,
        buffers: list[bytes] | None = None,
        on_question: OnQuestion | None = None,
    ) -> tuple[dict[str, Any], bytearray]:
        """Give an order and return the answer.

        Raises LimitHit, ChildDied or WireError, after which the child is dead.
        """
        self.sequence += 1
        frame = wire.pack({"seq": self.sequence, "op": op} | fields, buffers or [])
        return self.send(frame, allowed, on_output, on_question)

    def send(
        self,
        frame: bytes,
        allowed: Order,
        on_output: OnOutput | None = None,
        on_question: OnQuestion | None = None,
    ) -> tuple[dict[str, Any], bytearray]:
        """Send a frame that carries the current sequence number, and wait for its answer."""
        answer: list[tuple[dict[str, Any], bytearray]] = []
        heard = on_output or (lambda output: None)

        def consider(header: dict[str, Any], body: bytearray) -> bool:
            if header.get("seq") != self.sequence:
                return False  # stale, or not ours
            if type(header.get("output")) is dict:
                heard(header["output"])
                return False
            if on_question is not None and "asks" in header:
                self._tell(on_question(header["asks"], body), allowed)
                return False
            header.pop("interrupted", None)  # not for the child to say
            header.pop("idle", None)
            answer.append((header, body))
            return True

        try:
            self.watch = limits.Stopwatch(self.tree)
            deadline = time.monotonic() + allowed.seconds
            self.write(frame, deadline, allowed)
            try:
                self.receive(deadline, consider, allowed)
            except LimitHit as hit:
                if not self.interrupt(hit, allowed, consider):
                    raise
                answer[0][0].update(interrupted=str(hit), idle=hit.idle, hindered=hit.hindered)
            if answer[0][0].get("done") is False:  # an error because a limit was reached?
                self.look(closely=True)
        except (LimitHit, WireError, SandboxError):
            self.kill()
            raise
        except (ChildDied, OSError):
            self.kill()
            raise self.how_it_ended() from None
        return answer[0]

    def _tell(self, answer: tuple[Any, list[bytes]], allowed: Order) -> None:
        """Answer a question of the child, which waits for it."""
        node, buffers = answer
        told = wire.pack({"seq": self.sequence, "told": node}, buffers)
        self.write(told, time.monotonic() + allowed.seconds, allowed)

    def count(self, header: dict[str, Any], length: int) -> None:
        """Count what a frame adds to the outputs."""
        if "output" in header or header.get("seq") != self.sequence:
            self.received += length
            if self.received > self.output_kb << 10:
                raise LimitHit("output_kb", f"more than {self.output_kb} kB of output")

    def left(self, allowed: Order | None) -> float:
        """Seconds that an order has left, its time on the wall being over; LimitHit if none."""
        if allowed is None:
            raise LimitHit("cell_seconds", f"no end within {START:g} s")
        self.watch.mark()
        left = min(allowed.seconds - self.watch.used(), allowed.wall - self.watch.wall())
        if left < 0.01:
            idle = self.watch.cpu < allowed.seconds / 2
            hindered = idle and self.watch.waited > allowed.seconds / 10
            raise LimitHit(allowed.limit, f"no end within {allowed.seconds:g} s", idle, hindered)
        return left

    def look(self, closely: bool = False) -> None:
        """Compare what the whole tree of processes uses with what it may, every so often."""
        now = time.monotonic()
        if self.confinement.level < 1 or not (closely or now - self.looked > WATCH):
            return
        self.looked = now
        allowed = self.confinement
        # after an error: a large piece that was refused is not in use
        memory_mb = allowed.memory_mb * (REFUSED if closely else 1.0)
        used = self.tree.look(memory_mb)
        if used.tasks > 2 * allowed.processes + 16 and not self._may_have(used.tasks):
            self.stop_everything()
            raise SandboxError(
                f"a submission got {used.tasks} processes where {allowed.processes} are allowed: "
                "the walls do not hold, and nothing more is run"
            )
        if used.memory_mb > memory_mb:
            raise LimitHit("memory_mb", f"more than {allowed.memory_mb} MB of memory")
        if used.cpu_seconds > allowed.cpu_seconds:
            raise LimitHit("cpu_seconds", f"more than {allowed.cpu_seconds:g} s of processor time")
        if used.tasks >= allowed.processes:
            raise LimitHit("processes", f"as many as {allowed.processes} processes and threads")

    def _may_have(self, tasks: int) -> bool:
        """Does the kernel allow so many? Its limit is higher where others have the same user."""
        shared = not limits.has_own_user(self.confinement)
        return shared and tasks <= 2 * limits.most_processes(self.tree.pid) + 16

    def stop_everything(self) -> None:
        """A limit does not bind: end the child's whole tree before it ends the machine."""
        limits.end_tree(self.tree.pid)

    def outside(self, inside: str) -> str:
        """Where something that the confinement shows inside is for a child without a root of its
        own.
        """
        return next(
            (outside for outside, shown in self.confinement.shown if shown == inside), inside
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def remove_folder(folder: str) -> None:
    """Remove what a child has written, however deep it is nested."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder) and shutil.which("rm"):
        subprocess.run(["rm", "-rf", folder], check=False, stderr=subprocess.DEVNULL)


def warm_is_possible(level: int) -> bool:
    """Are children forked from a warm process? Elsewhere each one starts a fresh interpreter."""
    return level >= 1 and sys.platform.startswith("linux")
