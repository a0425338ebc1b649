"""What a run keeps between starts and for people: a lock, a journal of what is recorded, a log."""

import contextlib
import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograder import outside
from autograder.course import Course
from autograder.errors import UserError

FULL = (  # errors of the machine; any other is the fault of what is to be written
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM),
    *(errno.EMFILE, errno.ENFILE, errno.ENOMEM),
)


@contextmanager
def locked(course: Course, unit: str) -> Iterator[None]:
    """One grader at a time per unit; the second one says so."""
    folder = course.root / "runs"
    folder.mkdir(exist_ok=True)
    with open(folder / f"{unit}.lock", "a+") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:
            pass  # no such lock on this system
        except OSError:
            file.seek(0)
            holder = file.read().strip()
            raise UserError(
                f"{unit} is being graded already{' by ' + holder if holder else ''}: "
                "wait until that run has ended"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        yield


@contextmanager
def writing() -> Iterator[None]:
    """A disk that takes nothing more ends the run: what is graded is kept, the rest comes later."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        where = f" {outside.line(error.filename)}" if error.filename else ""
        raise UserError(
            f"cannot write{where}: {error.strerror or error}. What is recorded stays recorded; "
            "make room or mend the cause, then give the same command again: "
            "it goes on where it stopped"
        ) from None


class Journal:
    """Which results are in the gradebook: one line each, appended after the transaction."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        self.latest: dict[str, str] = {}
        if path.is_file():
            whole, _, torn = path.read_bytes().rpartition(b"\n")
            if torn:  # written when the disk was full, or the machine went down
                os.truncate(path, len(whole) + 1 if whole else 0)
            for entry in whole.decode("utf-8", "replace").split("\n"):
                mark, _, student = entry.partition(" ")
                self.latest[student] = mark
        self.file = open(path, "ab", buffering=0)  # noqa: SIM115

    def has(self, student: str, mark: str) -> bool:
        return self.latest.get(student) == mark

    def add(self, student: str, mark: str) -> None:
        self.latest[student] = mark
        self.file.write(f"{mark} {student}\n".encode())

    def close(self) -> None:
        self.file.close()


class Log:
    """What happened to every submission of one run, for people: runs/logs/UNIT-TIME.log."""

    def __init__(self, folder: Path, unit: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{unit}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
        self.file = open(folder / name, "a", encoding="utf-8", buffering=1)  # noqa: SIM115

    def line(self, student: str, text: str) -> None:
        said = f"{outside.line(student)}: {outside.line(text, 1000)}"
        self._write(f"{time.strftime('%H:%M:%S')} {said}\n")

    def close(self, graded: int, skipped: int, problems: int) -> None:
        self._write(f"{graded} graded, {skipped} unchanged, {problems} need a person\n")
        with contextlib.suppress(OSError):
            self.file.close()

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # a full disk stops the run where something is lost
            self.file.write(text)
