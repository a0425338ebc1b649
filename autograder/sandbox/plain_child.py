"""A child without walls and without a warm process: a fresh interpreter, for systems that can do no
more.

It is slow, since it imports everything anew, and promises little; the judge still stays outside.
"""

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from autograder.sandbox import limits, users, wire
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import (
    ENVIRONMENT,
    START,
    WATCH,
    AnyChild,
    ChildDied,
    Consider,
    Order,
    SandboxError,
    Spent,
    remove_folder,
)
from autograder.sandbox.wire import WireError

WINDOWS = ("SYSTEMROOT", "WINDIR", "TEMP", "TMP", "COMSPEC", "PATHEXT")  # else it starts nothing


class PlainChild(AnyChild):
    """The same orders as for a forked child, over two pipes."""

    def __init__(self, confinement: Confinement, output_kb: int = 2048) -> None:
        super().__init__(confinement, output_kb)
        try:
            confinement = users.with_user(confinement)
        except users.NoUser as error:
            raise SandboxError(f"no child: {error}") from None
        self.work = tempfile.mkdtemp(prefix="work-")
        if confinement.uid:
            os.chown(self.work, confinement.uid, confinement.uid)
        path = tuple(self.outside(entry) for entry in confinement.path)
        self.confinement = replace(confinement, work=self.work, path=path)
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "autograder.sandbox.plain_child",
                self.confinement.to_bytes().decode(),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.work,
            env=self._environment(),
            start_new_session=True,
        )
        self.tree = limits.Tree(self.process.pid)
        self.frames: queue.Queue[tuple[dict[str, Any], bytearray] | Exception] = queue.Queue(256)
        self.open = True
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.receive(time.monotonic() + START, lambda header, body: "ready" in header, None)
        except ChildDied:
            self.close()
            raise SandboxError("no child: the interpreter did not start") from None
        self.tree.forgive()
        self.start_seconds = time.monotonic() - self.began

    def _environment(self) -> dict[str, str]:
        return {
            **{name: os.environ[name] for name in (*ENVIRONMENT, *WINDOWS) if name in os.environ},
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
            "OMP_NUM_THREADS": "1",
            "HOME": self.work,
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "NBGRADER_EXECUTION": "autograde",
        }

    def _read(self) -> None:
        assert self.process.stdout is not None
        while True:
            try:
                self.frames.put(wire.read(self.process.stdout.fileno()))
            except (EOFError, OSError, ValueError) as error:
                self.frames.put(error)
                return

    def write(self, frame: bytes, deadline: float, allowed: Order) -> None:
        # beside the watch: who does not read its orders has a time limit all the same
        threading.Thread(target=self._write, args=(frame,), daemon=True).start()

    def _write(self, frame: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError, ValueError):  # dead or closed: whoever waits will notice
            self.process.stdin.write(frame)
            self.process.stdin.flush()

    def receive(self, deadline: float, consider: Consider, allowed: Order | None) -> None:
        while True:
            try:
                frame = self.frames.get(timeout=max(0.0, min(WATCH, deadline - time.monotonic())))
            except queue.Empty:
                self.watch.mark()
                if time.monotonic() >= deadline:
                    deadline = time.monotonic() + self.left(allowed)
                if allowed is not None:
                    self.look()
                continue
            if isinstance(frame, WireError):
                raise frame
            if isinstance(frame, Exception):
                raise ChildDied
            header, body = frame
            self.count(header, wire.PREFIX.size + len(str(header)) + len(body))
            if consider(header, body):
                return

    def kill(self) -> None:
        if sys.platform == "win32":
            self.process.kill()
        else:
            limits.end_tree(self.process.pid)
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, 9)
            if self.confinement.uid:
                users.kill_all_of(self.confinement.uid)
        self.process.wait()

    def how_it_ended(self) -> Exception:
        return ChildDied(f"the process ended with code {self.process.returncode}")

    def close(self) -> Spent:
        if self.open:
            self.open = False
            self.kill()
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            remove_folder(self.work)
        return self.spent


def main(told: Confinement) -> NoReturn:
    """In the child: no walls, but the limits that the system knows."""
    from autograder.sandbox import agent, shell, syscalls

    reader, writer = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    emit: list[shell.Emit] = [lambda output: None]
    prepared = shell.make_shell(lambda output: emit[0](output))
    shell.inline_figures(prepared)
    captured = agent.capture()
    if told.uid:
        syscalls.become(told.uid, syscalls.CAP_DAC_READ_SEARCH if told.reads_all else None)
    if told.level >= 1:
        limits.apply(told)
    agent.forget_the_course()

    def rebind(new: shell.Emit) -> None:
        emit[0] = new

    agent.run(reader, writer, captured, told.path, agent.make_ready(prepared), rebind)
    os._exit(98)


if __name__ == "__main__":
    main(Confinement.from_bytes(sys.argv[1].encode()))
