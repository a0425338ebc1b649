"""Makes the surroundings of a grader for the time of a test: who starts it, what the kernel lets it
do, where Python is.

Everything happens in a mount and a pid namespace of its own: nothing on the machine is changed, and
when its first process
ends or is killed, all others end with it.
"""

import ctypes
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ORDINARY = 60_000, 5_000  # user numbers that belong to nobody: the first, and how many
SOURCE_TREE = Path(__file__).resolve().parents[2]
SECONDS = 900  # after which everything is killed
DOCKER = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)  # capabilities that it leaves to root
NAMESPACES = 0x7E020000  # all flags of clone and unshare that make one


@dataclass(frozen=True)
class Surroundings:
    """One row of the matrix."""

    user: str  # root, ordinary
    namespaces: str  # allowed, seccomp, Docker (seccomp and few capabilities), chroot
    python: str  # private or public place
    cgroups: str  # writable, none
    landlock: str = "present"  # present, hidden

    def __str__(self) -> str:
        return "-".join(asdict(self).values())


def possible() -> bool:
    programs = ("unshare", "mount")
    return os.geteuid() == 0 and all(shutil.which(name) for name in programs)


def run(surroundings: Surroundings) -> dict[str, Any]:
    """What `tests.matrix.inside` reports from there."""
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"]
    told = json.dumps(asdict(surroundings))
    environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"PYTHONPATH": str(SOURCE_TREE), "HOME": "/tmp", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory(prefix="matrix-") as folder:
        os.chmod(folder, 0o777)
        group = _delegated() if surroundings.cgroups == "writable" else []
        left: list[str] = []
        try:
            done = subprocess.run(
                [*command, sys.executable, "-m", "tests.matrix.surroundings", told, folder, *group],
                capture_output=True,
                text=True,
                env=environment | {"TMPDIR": folder},
                cwd="/",
                timeout=SECONDS,
                check=False,
            )
        finally:
            left = [str(path) for place in group for path in Path(place).glob("autograder-*")]
            for place in (*left, *group):
                os.rmdir(place)
    if done.returncode:
        raise AssertionError(f"{surroundings}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1]) | {"left": left}
    return report


def _delegated() -> list[str]:
    """Control groups in which the grader will be, and may make others."""
    from autograder.sandbox import cgroups

    found = []
    for places in cgroups.hierarchies():
        folder = f"{places[0]}/matrix-{os.getpid()}"
        os.mkdir(folder)
        found.append(folder)
    return found


# inside the namespaces, still as root -------------------------------------------------------------


def enter(surroundings: Surroundings, folder: str, groups: list[str]) -> None:
    uid = 0 if surroundings.user == "root" else ordinary_user()
    for group in groups:
        Path(group, "cgroup.procs").write_text("0")
        for path in (group, f"{group}/cgroup.procs"):
            os.chown(path, uid, uid)
    if surroundings.cgroups == "none":
        _mount("-t", "tmpfs", "-o", "ro,mode=555", "tmpfs", "/sys/fs/cgroup")
    place_python(uid, 0o700 if surroundings.python == "private" else 0o755, folder)
    if surroundings.namespaces == "chroot":
        _change_root(folder)
    if surroundings.namespaces == "Docker":
        _leave_capabilities(DOCKER)
    if uid:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    _forbid(surroundings)
    os.execv(sys.executable, [sys.executable, "-m", "tests.matrix.inside"])


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def ordinary_user() -> int:
    """A number of its own for each run: the kernel counts processes per user, and over the borders
    of pid namespaces.
    """
    first, count = ORDINARY
    return first + secrets.randbelow(count)


def place_python(uid: int, mode: int, folder: str) -> None:
    """Cover the homes in which Python or the checkout is, so that they are as private as wanted."""
    needed = sorted({Path(sys.base_prefix), Path(sys.prefix), SOURCE_TREE})
    for number, home in enumerate(private_homes(needed) or [SOURCE_TREE.parent]):
        inside = [path for path in needed if path.is_relative_to(home)]
        kept = [f"{folder}/kept{number}-{each}" for each in range(len(inside))]
        for path, source in zip(inside, kept, strict=True):
            os.mkdir(source)
            _mount("--bind", str(path), source)
        _mount("-t", "tmpfs", "-o", f"mode={mode:o},uid={uid}", "tmpfs", str(home))
        for path, source in zip(inside, kept, strict=True):
            path.mkdir(parents=True, exist_ok=True)
            _mount("--bind", source, str(path))


def private_homes(paths: list[Path]) -> list[Path]:
    """The outermost folders above the paths that others may not enter."""
    found: list[Path] = []
    for path in paths:
        closed = [each for each in path.parents if not each.stat().st_mode & 0o001]
        found += [each for each in closed[-1:] if each not in found]
    return found


def _change_root(folder: str) -> None:
    """A root that is no mount point: nobody in it can make a user namespace or change the root
    again.
    """
    new = f"{folder}/root"
    os.mkdir(new)
    for entry in os.scandir("/"):
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), new + entry.path)
        elif entry.is_dir():
            os.mkdir(new + entry.path)
            _mount("--rbind", entry.path, new + entry.path)
    os.chroot(new)
    os.chdir("/")


def _leave_capabilities(kept: tuple[int, ...]) -> None:
    from autograder.sandbox import syscalls

    for capability in range(64):
        if capability not in kept:
            syscalls.libc.prctl(syscalls.PR_CAPBSET_DROP, capability, 0, 0, 0)
    mask = sum(1 << capability for capability in kept)
    data = (syscalls._CapData * 2)(syscalls._CapData(mask, mask, 0))
    header = syscalls._CapHeader(0x20080522, 0)
    syscalls.checked(syscalls.libc.capset(ctypes.byref(header), ctypes.byref(data)), "capset")


def _forbid(surroundings: Surroundings) -> None:
    """Let the kernel refuse what it would refuse there."""
    import errno

    import pyseccomp as lib

    rules = lib.SyscallFilter(lib.ALLOW)
    if surroundings.namespaces in ("seccomp", "Docker"):
        for name in ("unshare", "setns", "mount", "umount2", "pivot_root", "open_tree", "fsopen"):
            rules.add_rule(lib.ERRNO(errno.EPERM), name)
        for bit in range(32):
            if NAMESPACES >> bit & 1:
                flag = lib.Arg(0, lib.MASKED_EQ, 1 << bit, 1 << bit)
                rules.add_rule(lib.ERRNO(errno.EPERM), "clone", flag)
        rules.add_rule(lib.ERRNO(errno.ENOSYS), "clone3")
    if surroundings.landlock == "hidden":
        for number in (444, 445, 446):
            rules.add_rule(lib.ERRNO(errno.ENOSYS), number)
    rules.load()


if __name__ == "__main__":
    enter(Surroundings(**json.loads(sys.argv[1])), sys.argv[2], sys.argv[3:])
