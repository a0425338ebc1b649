"""A child without walls and without a warm process: a fresh interpreter, for systems that can do no more (levels 1 and 0).

It is slow, since it imports everything anew, and promises little; the judge still stays outside.
"""

import contextlib
import json
import os
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from autograder.sandbox import wire
from autograder.sandbox.client import ENVIRONMENT, START, WATCH, Child, ChildDied, LimitHit, Order, Report
from autograder.sandbox.limits import Stopwatch
from autograder.sandbox.plan import Plan
from autograder.sandbox.wire import WireError

ALSO = ("SYSTEMROOT", "WINDIR", "TEMP", "TMP", "COMSPEC", "PATHEXT")  # without these Windows starts nothing


class ColdChild(Child):
    """The same orders as for a forked child, over two pipes."""

    def __post_init__(self) -> None:
        self.work = tempfile.mkdtemp(prefix="work-")
        self.plan = replace(self.plan, work=self.work, path=tuple(self._outside(entry) for entry in self.plan.path))
        self.sequence = random.SystemRandom().randrange(1 << 40)
        environment = {name: os.environ[name] for name in (*ENVIRONMENT, *ALSO) if name in os.environ}
        environment |= {"PYTHONPATH": str(Path(__file__).resolve().parents[2]), "OMP_NUM_THREADS": "1"}
        environment |= {"HOME": self.work, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        command = [sys.executable, "-m", "autograder.sandbox.cold", self.plan.to_bytes().decode()]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.work,
            env=environment,
            start_new_session=True,
        )
        self.pid = self.process.pid
        self.watch = Stopwatch(self.pid)
        self.frames: queue.Queue[tuple[dict[str, Any], bytearray] | Exception] = queue.Queue(maxsize=256)
        self.open = True
        threading.Thread(target=self._read, daemon=True).start()
        self._receive(time.monotonic() + START, lambda header, body: "ready" in header, None)

    def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            try:
                self.frames.put(wire.read(self.process.stdout.fileno()))
            except (EOFError, OSError, ValueError) as error:
                self.frames.put(error)
                return

    def _write(self, frame: bytes, deadline: float, allowed: Order) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(frame)
        self.process.stdin.flush()

    def _receive(
        self, deadline: float, done: Callable[[dict[str, Any], bytearray], bool], allowed: Order | None, first: bool = False
    ) -> None:
        while True:
            try:
                frame = self.frames.get(timeout=max(0.0, min(WATCH, deadline - time.monotonic())))
            except queue.Empty:
                self.watch.mark()
                if time.monotonic() >= deadline:
                    deadline = time.monotonic() + self._left(allowed)
                continue
            if isinstance(frame, WireError):
                raise frame
            if isinstance(frame, Exception):
                raise ChildDied
            header, body = frame
            if "output" in header:
                self.received += len(json.dumps(header))
                if self.received > self.output_kb << 10:
                    raise LimitHit("output_kb", f"more than {self.output_kb} kB of output")
            if done(header, body):
                return

    def look(self, now: float, closely: bool = False) -> None:
        """Nothing can be seen from here."""

    def _interrupt(self, hit: LimitHit, allowed: Order, consider: Callable[[dict[str, Any], bytearray], bool]) -> bool:
        return False

    def kill(self) -> None:
        if sys.platform == "win32":
            self.process.kill()
        else:
            with contextlib.suppress(OSError):
                os.killpg(self.pid, 9)
        self.process.wait()

    def _how_it_ended(self) -> str:
        return f"the process ended with code {self.process.returncode}"

    def close(self) -> Report:
        if self.open:
            self.open = False
            self.kill()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            shutil.rmtree(self.work, ignore_errors=True)
        return self.report

    def __exit__(self, *_: object) -> None:
        self.close()


def main(told: Plan) -> NoReturn:
    """In the child: no walls, but the limits that the system knows."""
    from autograder.sandbox import agent, limits, shell

    reader, writer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    emit: list[shell.Emit] = [lambda output: None]
    prepared = shell.make_shell(lambda output: emit[0](output))
    shell.inline_figures(prepared)
    if told.level >= 1:
        limits.apply(told)
    agent.forget_the_course()

    def rebind(new: shell.Emit) -> None:
        emit[0] = new

    agent.run(reader, writer, told.path, prepared, rebind)
    os._exit(98)


if __name__ == "__main__":
    main(Plan.from_bytes(sys.argv[1].encode()))
