"""Something that is done by another process, while this one imports for seconds."""

import multiprocessing
import sys
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Made = TypeVar("Made")


def can_fork() -> bool:
    """Is it safe? A lock that another thread holds would never be released in a fork."""
    single = all(each.daemon or each is threading.main_thread() for each in threading.enumerate())
    return single and sys.platform.startswith("linux")


class Beside(Generic[Made]):
    """Begins in a forked process at once; where forking is unsafe, in this one when asked for."""

    def __init__(self, work: Callable[[], Made]) -> None:
        self.work = work
        self.process = None
        if can_fork():
            context = multiprocessing.get_context("fork")
            self.reader, writer = context.Pipe(duplex=False)
            self.process = context.Process(target=_do, args=(work, writer), daemon=True)
            self.process.start()
            writer.close()

    def result(self) -> Made:
        """What came of it, or its error."""
        if self.process is None:
            return self.work()
        try:
            made, error = self.reader.recv()
        except EOFError:
            self.process.join()
            raise OSError(f"a process ended with exit code {self.process.exitcode}") from None
        self.process.join()
        if error is not None:
            raise error
        return made


def _do(work: Callable[[], Made], writer: "multiprocessing.connection.Connection") -> None:
    try:
        writer.send((work(), None))
    except Exception as error:
        writer.send((None, error))
