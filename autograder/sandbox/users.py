"""As whom a child runs: never as root, and where possible as a user whom nobody else is."""

import contextlib
import os
import secrets
import signal
from dataclasses import replace

from autograder.sandbox.confinement import Confinement

FIRST_UID, UIDS = 200_000, 1 << 20  # a range that belongs to nobody: a number for every child


class NoUser(Exception):
    """There is no user as whom the child could run; the message says what to do."""


def with_user(confinement: Confinement) -> Confinement:
    """The confinement with its own user number, where the grader is root and there are limits."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or confinement.level < 1 or confinement.uid:
        return confinement
    from autograder.sandbox import syscalls, walls  # what only Linux has

    first, count = _range()
    private = walls.private_folder() if confinement.level < 3 else ""
    if private and not syscalls.may_pass_on(syscalls.CAP_DAC_READ_SEARCH):
        raise NoUser(
            f"Python or the course is in {private}, which only root can enter: "
            f"chmod o+x {private}, or install both in a public place such as /opt"
        )
    return replace(confinement, uid=first + secrets.randbelow(count), reads_all=bool(private))


def _range() -> tuple[int, int]:
    """User numbers that exist here and belong to nobody: a container may have few."""
    spans = []
    with contextlib.suppress(OSError), open("/proc/self/uid_map") as file:
        spans = [(int(first), int(count)) for first, _, count in (line.split() for line in file)]
    if not spans or any(a <= FIRST_UID and a + n >= FIRST_UID + UIDS for a, n in spans):
        return FIRST_UID, UIDS
    first, count = max(spans, key=lambda span: span[1])
    if count < 1000:
        raise NoUser(
            "this root has no other user numbers (a user namespace with one user): "
            "run the grader as an ordinary user"
        )
    return first + count // 2, count // 4


def is_ours(uid: int) -> bool:
    """Is this the number of a child?"""
    first, count = _range()
    return first <= uid < first + count


def kill_all_of(uid: int) -> None:
    """End every process of a child's user at once: as that user, who may signal nobody else."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setresuid(uid, uid, uid)
            os.kill(-1, signal.SIGKILL)
        finally:
            os._exit(0)
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)
