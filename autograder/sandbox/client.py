"""The trusted side: starts the warm process, gets children from it, gives them orders, and kills them when they overstep.

Everything that a child answers is checked before it is believed to be even well formed.
"""

import atexit
import contextlib
import json
import os
import random
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from autograder.sandbox import limits, walls, wire
from autograder.sandbox.plan import Plan
from autograder.sandbox.wire import WireError

MODULES = (  # what notebooks of the course use: imported once, in the warm process
    *("torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.utils.data", "numpy", "numpy.random", "numpy.linalg"),
    *("matplotlib", "matplotlib.pyplot", "matplotlib_inline.backend_inline", "matplotlib.backends.backend_agg"),
    *("IPython", "IPython.core.ultratb", "IPython.core.completerlib", "IPython.core.magics", "sqlite3", "asyncio", "inspect"),
    *("sysconfig", "threading", "linecache", "html", "textwrap", "math", "random", "dataclasses", "typing", "base64", "io"),
)
TRAINING = ("torch._dynamo",)  # imported by torch at the first optimiser, for seconds
ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "FONTCONFIG_PATH", "MPLCONFIGDIR")
FIRST_UID, UIDS = 200_000, 1 << 20  # a range that belongs to nobody: every child gets a number of its own
WATCH = 0.1  # seconds between two looks at what a child uses
PATIENCE = 0.5  # seconds that an interrupted cell gets to come to an end
START = 180.0  # seconds that a warm process may take


class SandboxError(Exception):
    """The sandbox itself failed, not the student: nothing can be said about the submission."""


class LimitHit(Exception):
    """The child used more than it may, and was killed; `limit` is the name of the limit in course.toml.

    `idle`: its time ran out while it mostly waited, so that another try on a quiet machine may end otherwise.
    """

    def __init__(self, limit: str, message: str, idle: bool = False) -> None:
        super().__init__(message)
        self.limit, self.idle = limit, idle


class ChildDied(Exception):
    """The child ended by itself while it had an order."""


@dataclass(frozen=True)
class Order:
    """What a child may use for one order."""

    seconds: float
    limit: str = "cell_seconds"  # which limit that is
    polite: bool = False  # interrupt before killing


@dataclass
class Report:
    """What a child used in all."""

    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    exit: int | None = None


class Warm:
    """A running warm process; as a context manager it ends with the block."""

    def __init__(self, level: int, modules: tuple[str, ...] = MODULES) -> None:
        self.level = level
        self.folder = tempfile.mkdtemp(prefix="sandbox-")
        os.chmod(self.folder, 0o711 if level < 3 else 0o700)
        os.mkdir(f"{self.folder}/root")
        environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
        package_root = str(Path(__file__).resolve().parents[2])
        environment |= {"PYTHONPATH": package_root, "PYTHONDONTWRITEBYTECODE": "1", "HOME": self.folder}
        environment |= {
            f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")
        }  # a pool of threads at the fork hangs children
        environment |= {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "MALLOC_ARENA_MAX": "2"}  # address space is limited
        environment |= {"MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", _font_cache())}
        command = [sys.executable, "-m", "autograder.sandbox.warm", self.folder, str(level), *modules]
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, cwd="/", env=environment, start_new_session=True
        )

    def wait(self, view: str = "-", further: tuple[str, ...] = ()) -> None:
        """Until it is ready, with the view's neutral part and further modules imported; SandboxError if it will never be."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError):  # it may be dead already: its last words are read below
            self.process.stdin.write(" ".join((view, *further)).encode() + b"\n")
            self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], START)
        if not ready or self.process.stdout.readline() != b"ready\n":
            self.log.seek(0)
            text = self.log.read().decode("utf-8", "replace").strip()
            self.close()
            raise SandboxError(text.splitlines()[-1] if text else f"the warm process was not ready after {START:g} s")

    @property
    def address(self) -> str:
        return f"{self.folder}/socket"

    def close(self) -> None:
        """End the warm process and with it every child."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Warm":
        self.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_early: list[Warm] = []


def start_early(level: int = 3) -> None:
    """Start a warm process now that will be wanted soon: it imports while the caller still does so itself."""
    if sys.platform.startswith("linux") and not _early:
        _early.append(Warm(level))
        atexit.register(close_early)


def close_early() -> None:
    while _early:
        _early.pop().close()


def take(level: int) -> Warm:
    """The warm process that was started early, if it fits; else a new one."""
    if _early and _early[0].level == level:
        return _early.pop()
    close_early()
    return Warm(level)


def _font_cache() -> str:
    """matplotlib's cache, shared by all runs: building it costs seconds."""
    return str(Path.home() / ".config" / "matplotlib")


@dataclass
class Child:
    """One forked, walled-in process."""

    address: str
    plan: Plan
    output_kb: int = 2048
    received: int = 0  # bytes of output so far
    report: Report = field(default_factory=Report)

    def __post_init__(self) -> None:
        self.work = ""
        plan = self.plan
        if os.geteuid() == 0 and plan.level >= 1 and not plan.uid and (plan.level >= 3 or walls.readable_by_all()):
            plan = replace(plan, uid=FIRST_UID + secrets.randbelow(UIDS))
        if plan.level < 3:
            self.work = tempfile.mkdtemp(prefix="work-", dir=os.path.dirname(self.address))
            if plan.uid:
                os.chown(self.work, plan.uid, plan.uid)
            plan = replace(plan, work=self.work, path=tuple(self._outside(entry) for entry in plan.path))
        self.plan = plan
        self.sequence = random.SystemRandom().randrange(1 << 40)
        self.killed = False
        self.pidfd = -1
        self.pid = 0
        self.watched = 0.0
        self.watch = limits.Stopwatch(0)
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.connection.settimeout(START)
        self.channel, theirs = socket.socketpair()
        self.channel.settimeout(0)
        try:
            self.connection.connect(self.address)
            socket.send_fds(self.connection, [plan.to_bytes()], [theirs.fileno()])
            theirs.close()
            _, descriptors, _, _ = socket.recv_fds(self.connection, 4096, 1)
            if not descriptors:
                raise SandboxError("the warm process gave no child")
            self.pidfd = descriptors[0]
            self.pid = _pid_of(self.pidfd)
            self._receive(time.monotonic() + START, lambda header, body: "ready" in header, None, first=True)
        except (OSError, ChildDied, LimitHit, WireError) as error:
            reason = self._last_words() or str(error)
            self.close()
            raise SandboxError(f"no child: {reason}") from None
        except SandboxError:
            self.close()
            raise

    def _outside(self, inside: str) -> str:
        return next((outside for outside, shown in self.plan.shown if shown == inside), inside)

    def order(
        self,
        op: str,
        allowed: Order,
        fields: dict[str, Any],
        on_output: Callable[[dict[str, Any]], None] | None = None,
        buffers: list[bytes] | None = None,
    ) -> tuple[dict[str, Any], bytearray]:
        """Give an order and return the answer; raises LimitHit, ChildDied or WireError, after which the child is dead."""
        self.sequence += 1
        frame = wire.pack({"seq": self.sequence, "op": op} | fields, buffers or [])
        return self.send(frame, allowed, on_output)

    def send(
        self, frame: bytes, allowed: Order, on_output: Callable[[dict[str, Any]], None] | None = None
    ) -> tuple[dict[str, Any], bytearray]:
        """Send a frame that carries the current sequence number, and wait for its answer."""
        answer: list[tuple[dict[str, Any], bytearray]] = []

        def consider(header: dict[str, Any], body: bytearray) -> bool:
            if header.get("seq") != self.sequence:
                return False  # stale, or not ours
            if type(header.get("output")) is dict:
                if on_output is not None:
                    on_output(header["output"])
                return False
            header.pop("interrupted", None)  # not for the child to say
            header.pop("idle", None)
            answer.append((header, body))
            return True

        try:
            self.watch = limits.Stopwatch(self.pid)
            deadline = time.monotonic() + allowed.seconds
            self._write(frame, deadline, allowed)
            try:
                self._receive(deadline, consider, allowed)
            except LimitHit as hit:
                if not self._interrupt(hit, allowed, consider):
                    raise
                answer[0][0].update(interrupted=str(hit), idle=hit.idle)
            if answer[0][0].get("done") is False:
                self.look(time.monotonic(), closely=True)  # was it an error because a limit was reached?
        except (LimitHit, WireError):
            self.kill()
            raise
        except (ChildDied, OSError):
            self.kill()
            raise ChildDied(self._how_it_ended()) from None
        return answer[0]

    def _interrupt(self, hit: LimitHit, allowed: Order, consider: Callable[[dict[str, Any], bytearray], bool]) -> bool:
        """Ask politely first where that is allowed: an endless loop then ends with a traceback that shows its line."""
        if not allowed.polite or hit.limit != allowed.limit:
            return False
        try:
            signal.pidfd_send_signal(self.pidfd, signal.SIGINT)
            self._receive(time.monotonic() + PATIENCE, consider, Order(self.watch.used() + PATIENCE, allowed.limit))
        except (LimitHit, ChildDied, OSError):
            return False
        return True

    def _write(self, frame: bytes, deadline: float, allowed: Order) -> None:
        view = memoryview(frame)
        while view:
            try:
                view = view[self.channel.send(view) :]
            except BlockingIOError:
                _, ready, _ = select.select([], [self.channel], [], max(0.0, deadline - time.monotonic()))
                if not ready:
                    raise LimitHit(allowed.limit, f"no answer within {allowed.seconds:g} s") from None

    def _receive(
        self, deadline: float, done: Callable[[dict[str, Any], bytearray], bool], allowed: Order | None, first: bool = False
    ) -> None:
        """Read frames until `done` takes one as the answer, and look after the child meanwhile."""
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        poller.register(self.connection if first else self.pidfd, select.POLLIN)
        buffer = bytearray()
        needed, lengths = wire.PREFIX.size, None
        while True:
            now = time.monotonic()
            if now >= deadline:
                deadline = now + self._left(allowed)
            if now - self.watch.began > WATCH:
                self.watch.mark()
            if allowed is not None:
                self.look(now)
            events = dict(poller.poll(1000 * min(WATCH, deadline - now)))
            if self.channel.fileno() not in events:
                if events:
                    raise ChildDied
                continue
            try:
                chunk = self.channel.recv(min(1 << 20, needed - len(buffer)))
            except BlockingIOError:
                continue
            if not chunk:
                raise ChildDied
            buffer += chunk
            if len(buffer) < needed:
                continue
            if lengths is None:
                lengths = wire.unpack_prefix(bytes(buffer))
                needed = wire.PREFIX.size + sum(lengths)
                if len(buffer) < needed:
                    continue
            start = wire.PREFIX.size
            header = wire.parse_header(buffer[start : start + lengths[0]])
            if "output" in header or header.get("seq") != self.sequence:
                self.received += needed
                if self.received > self.output_kb << 10:
                    raise LimitHit("output_kb", f"more than {self.output_kb} kB of output")
            if done(header, buffer[start + lengths[0] :]):
                return
            buffer, needed, lengths = bytearray(), wire.PREFIX.size, None

    def _left(self, allowed: Order | None) -> float:
        """Seconds that an order has left although its time on the wall is over; LimitHit if there are none."""
        if allowed is None:
            raise LimitHit("cell_seconds", f"no end within {START:g} s")
        left = allowed.seconds - self.watch.used()
        if left < 0.01:
            raise LimitHit(allowed.limit, f"no end within {allowed.seconds:g} s", self.watch.cpu < allowed.seconds / 2)
        return left

    def look(self, now: float, closely: bool = False) -> None:
        """Compare what the whole tree of processes uses with what it may, at most every so often."""
        if (now - self.watched < WATCH and not closely) or self.plan.level < 1:
            return
        if self.watched or closely:
            used = limits.usage(self.pid, self.plan.memory_mb)
            if used.memory_mb > self.plan.memory_mb:
                raise LimitHit("memory_mb", f"more than {self.plan.memory_mb} MB of memory")
            if used.cpu_seconds > self.plan.cpu_seconds:
                raise LimitHit("cpu_seconds", f"more than {self.plan.cpu_seconds:g} s of processor time")
            if used.tasks >= self.plan.processes:
                raise LimitHit("processes", f"as many as {self.plan.processes} processes and threads")
        self.watched = now

    def kill(self) -> None:
        """Kill the child and everything that it started."""
        if self.pidfd >= 0 and not self.killed:
            self.killed = True
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def _last_words(self) -> str:
        """What the child said before it could build its walls."""
        self.connection.settimeout(1.0)
        for _ in range(4):
            try:
                message = json.loads(self.connection.recv(1 << 16) or b"{}")
            except (OSError, ValueError):
                return ""
            if "error" in message:
                return str(message["error"]).strip().splitlines()[-1]
        return ""

    def _how_it_ended(self) -> str:
        self._bury()
        if self.report.exit is None:
            return "the process ended"
        if self.report.exit < 0:
            name = signal.Signals(-self.report.exit).name
            return f"the process was ended by {name}" + (" (processor time used up)" if name in ("SIGXCPU",) else "")
        return f"the process ended itself with exit code {self.report.exit}"

    def _bury(self) -> None:
        """Wait for the end of the child, and note what it used in all."""
        self.connection.settimeout(5.0)
        try:
            while data := self.connection.recv(1 << 16):
                message = json.loads(data)
                if "exit" in message:
                    self.report = Report(float(message["cpu"]), float(message["peak_mb"]), int(message["exit"]))
                    return
        except (OSError, ValueError, KeyError):
            return

    def close(self) -> Report:
        """The end: nothing of the child is left."""
        if self.pidfd >= 0:
            self.kill()
            if self.report.exit is None:
                self._bury()
            os.close(self.pidfd)
            self.pidfd = -1
        self.channel.close()
        self.connection.close()
        if self.work:
            shutil.rmtree(self.work, ignore_errors=True)
        return self.report

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.pidfd >= 0:
            self.close()


def _pid_of(pidfd: int) -> int:
    """The process behind a descriptor, by the number that it has here (another than in its own namespace)."""
    with open(f"/proc/self/fdinfo/{pidfd}") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pid:"))


__all__ = ["MODULES", "TRAINING", "Child", "ChildDied", "LimitHit", "Order", "Report", "SandboxError", "Warm"]
