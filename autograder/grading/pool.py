"""Where jobs are carried out: by processes of this machine here, by a cluster in `cluster.py`.

A pool carries a request to a worker and brings the answer back, or says that the worker was lost.
It never tries again by itself: whether a submission deserves another try is for the run to
decide. Nothing here imports torch: on a worker of a cluster only the grading process beside it
does.
"""

import contextlib
import multiprocessing
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO, Protocol

from autograder.grading import messages
from autograder.grading.beside import can_fork

if TYPE_CHECKING:
    from autograder.grading.launch import Launcher


class Lost(Exception):
    """The worker that had a job died, or did not answer in time."""


class Refused(Exception):
    """The worker must not grade: its walls are too low, or it has another version of the course."""


class Pool(Protocol):
    """Carries requests, so many at a time."""

    @property
    def size(self) -> int: ...

    def carry(self, request: bytes, seconds: float) -> bytes:
        """The answer to a request, waited for at most so long; raises Lost.

        Called by many threads at once.
        """

    def close(self) -> None: ...


class Worker:
    """A process that grades one request after the other; killed if it takes too long."""

    def __init__(
        self,
        pid: int | None,
        reader: BinaryIO,
        writer: BinaryIO,
        end: Callable[[], int | None],
        folder: str = "",
    ) -> None:
        self.pid, self.reader, self.writer, self.end, self.folder = pid, reader, writer, end, folder

    def carry(self, request: bytes, seconds: float) -> bytes:
        late = threading.Event()

        def ring() -> None:
            late.set()
            self.end()

        alarm = threading.Timer(seconds, ring)
        alarm.daemon = True
        alarm.start()
        try:
            messages.put(self.writer, messages.DONE, request)
            kind, answer = messages.get(self.reader)
        except (EOFError, OSError, ValueError):
            code = self.kill()
            why = (
                f"did not answer within {seconds:.0f} s"
                if late.is_set()
                else f"died ({_how(code)})"
            )
            raise Lost(f"the worker {why}") from None
        finally:
            alarm.cancel()
        if kind == messages.REFUSED:
            raise Refused(answer.decode())
        return answer

    def kill(self) -> int | None:
        """End it at once; how it ended."""
        code = self.end()
        for stream in (self.reader, self.writer):
            with contextlib.suppress(OSError):
                stream.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
        return code


def forked(unit: str, launcher: "Launcher") -> Worker:
    """A worker forked from this process.

    It has imported the judge, and knows what the judge has computed already.
    """
    reader, their_writer = os.pipe()
    their_reader, writer = os.pipe()
    context = multiprocessing.get_context("fork")
    process = context.Process(
        target=_serve,
        args=(their_reader, their_writer, (reader, writer), unit, launcher),
        daemon=True,
    )
    process.start()
    os.close(their_reader)
    os.close(their_writer)

    def end() -> int | None:
        process.join(0.2)  # it may be dying by itself: then its own exit code tells more
        process.kill()
        process.join()
        return process.exitcode

    return Worker(process.pid, os.fdopen(reader, "rb"), os.fdopen(writer, "wb"), end)


def _serve(
    reader: int, writer: int, not_ours: tuple[int, int], unit: str, launcher: "Launcher"
) -> None:
    from autograder.grading import worker  # whoever forked has imported it already

    for descriptor in not_ours:
        os.close(descriptor)
    worker.settle(unit, launcher)
    worker.serve(os.fdopen(reader, "rb"), os.fdopen(writer, "wb"))


def fresh(launcher: "tuple[str, Launcher] | None" = None) -> Worker:
    """A worker in a new interpreter.

    Where forking is unsafe or impossible, and on the machines of a cluster.

    Without a launcher it makes its own, in a folder that goes with it.
    """
    folder = tempfile.mkdtemp(prefix="worker-")
    os.chmod(folder, 0o711)  # a child with another user number must get through
    arguments = (
        [launcher[0], launcher[1].address, str(launcher[1].level), launcher[1].view]
        if launcher is not None
        else []
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder.grading.worker", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"TMPDIR": folder, "OMP_NUM_THREADS": "1"},
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def end() -> int:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(0.2)
        process.kill()
        return process.wait()

    return Worker(process.pid, process.stdout, process.stdin, end, folder)  # type: ignore[arg-type]


def _how(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


class LocalPool:
    """Workers on this machine. The first ones are forked where that is safe.

    One that is lost is replaced by a fresh one.
    """

    def __init__(self, size: int, unit: str, launcher: "Launcher") -> None:
        self.size, self.unit, self.launcher = size, unit, launcher
        fork = can_fork()
        self.workers = {forked(unit, launcher) if fork else self._fresh() for _ in range(size)}
        self.closed = False
        self.idle: queue.SimpleQueue[Worker | None] = queue.SimpleQueue()  # None: room for one more
        for each in self.workers:
            self.idle.put(each)

    def _fresh(self) -> Worker:
        return fresh((self.unit, self.launcher))

    def carry(self, request: bytes, seconds: float) -> bytes:
        mine = self.idle.get()
        try:
            if mine is None:
                if self.closed:
                    raise Lost("the run has ended")
                mine = self._fresh()
                self.workers.add(mine)
            answer = mine.carry(request, seconds)
        except Lost:
            self.workers -= {mine}
            self.idle.put(None)
            raise
        self.idle.put(mine)
        return answer

    def close(self) -> None:
        """End all of them, also those that have something to do."""
        self.closed = True
        for each in list(self.workers):  # who has nothing to do ends by itself
            with contextlib.suppress(OSError):
                each.writer.close()
        for each in list(self.workers):
            each.kill()
