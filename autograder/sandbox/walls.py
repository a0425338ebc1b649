"""Builds the walls around a forked child, from inside, before any student code runs in it.

| level | walls |
|---|---|
| 3 | its own namespaces (user, mount, pid, network, ipc, uts) and root, and those of level 2 |
| 2 | Landlock, seccomp, no capabilities (but perhaps one, to read), and those of level 1 |
| 1 | limits, another user than root |
"""

import contextlib
import errno
import os
import site
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from autograder.sandbox import cgroups, landlock, limits, seccomp, syscalls
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.syscalls import NODEV, NOEXEC, NOSUID, mount

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/lib32",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/fonts",
    "/etc/alternatives",
)
DEVICES = ("null", "zero", "full", "random", "urandom")
OURS = (
    "autograder",
    "course_utils",
)  # packages that a child must not find, wherever they are installed
HOME = "/submission"
NO_MOUNT_POINT = (
    "the root directory is no mount point, as in a plain chroot: "
    "bind the new root to itself (mount --bind ROOT ROOT) before you change into it"
)


def libraries() -> list[str]:
    """Where Python and the third-party packages are."""
    own = {
        sys.prefix,
        sys.base_prefix,
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platlib"),
        sysconfig.get_path("purelib"),
    }
    own |= {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
    own |= {site.getusersitepackages()} if site.ENABLE_USER_SITE else set()
    kept: list[str] = []
    for path in sorted(own):
        if os.path.isdir(path) and not any(
            path == other or path.startswith(other + "/") for other in (*SYSTEM, *kept)
        ):
            kept.append(path)
    return kept


def private_folder() -> str:
    """The folder that keeps other users from the libraries (Python in a private home), if there is
    one.
    """
    for path in (Path(path) for path in libraries()):
        for each in (*reversed(path.parents), path):
            if not os.stat(each).st_mode & 0o001:
                return str(each)
    return ""


def hidden() -> list[str]:
    """Copies of the course's own packages among the third-party ones (an installation that is not
    editable).
    """
    places = {
        sysconfig.get_path("platlib"),
        sysconfig.get_path("purelib"),
        *(p for p in sys.path if p.endswith("-packages")),
    }
    return [
        f"{place}/{name}"
        for place in sorted(places)
        for name in OURS
        if os.path.isdir(f"{place}/{name}")
    ]


def build(
    confinement: Confinement,
    filters: dict[bool, bytes],
    mount_point: str,
    company: limits.Company,
) -> None:
    """Raise the walls of the confinement's level around this process; OSError if one of them cannot
    be built.
    """
    cgroups.join(confinement.groups)
    if confinement.level >= 3:
        _own_root(confinement, mount_point)
        if os.geteuid() != 0:
            _own_user()
    else:
        os.setsid()  # the filter keeps all that it starts in this group, which dies as one
        os.chdir(confinement.work)
    kept = syscalls.CAP_DAC_READ_SEARCH if confinement.reads_all else None
    if os.geteuid() == 0:
        if not confinement.uid:
            raise OSError("a child never runs as root")
        syscalls.become(confinement.uid, kept)
    limits.apply(confinement, company)
    if confinement.level >= 2:
        syscalls.drop_capabilities(kept)
        landlock.restrict(list(_rules(confinement)), tcp=confinement.level < 3)
    # so that whoever started us can still read how much memory we use
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, 9)
    if confinement.level >= 2:
        seccomp.load(filters[confinement.level >= 3])  # last: from now on neither can be changed


def _own_user() -> None:
    """A user namespace per child: the limit on processes counts per user, and one fork bomb must
    not starve the neighbours.
    """
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare("user")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def _own_root(confinement: Confinement, new: str) -> None:
    """A root of tmpfs in which nothing exists but the libraries, what the confinement shows, and a
    little space to write.
    """
    syscalls.unshare("mount", "ipc", "uts", "net")
    _leave_the_mounts_of_others()
    mount("tmpfs", new, "tmpfs", NOSUID | NODEV, "size=1m,nr_inodes=1024,mode=755")
    for folder in ("etc", "proc", "dev", "dev/shm", "dev/pts", "tmp", HOME[1:]):
        os.makedirs(f"{new}/{folder}")
    Path(f"{new}/etc/passwd").write_text(
        f"student:x:{confinement.uid or os.geteuid()}:{confinement.uid or os.getegid()}"
        f"::{HOME}:/bin/sh\n"
    )
    Path(f"{new}/etc/group").write_text(f"student:x:{confinement.uid or os.getegid()}:\n")
    for device in DEVICES:
        Path(f"{new}/dev/{device}").touch()
        mount(f"/dev/{device}", f"{new}/dev/{device}", None, syscalls.BIND)
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"{new}/dev/{name}")
    mount(
        "devpts",
        f"{new}/dev/pts",
        "devpts",
        NOSUID | NOEXEC,
        "newinstance,ptmxmode=0666,mode=620,max=16",
    )
    os.symlink("pts/ptmx", f"{new}/dev/ptmx")
    # what can be written first, what is shown afterwards: an environment below /tmp must not be
    # covered
    space = f"size={confinement.disk_mb}m,nr_inodes=4096,mode=1777"
    mount("tmpfs", f"{new}/dev/shm", "tmpfs", NOSUID | NODEV | NOEXEC, space)
    mount("tmpfs", f"{new}/tmp", "tmpfs", NOSUID | NODEV, space)
    mount("tmpfs", f"{new}{HOME}", "tmpfs", NOSUID | NODEV, space)
    for path in (*SYSTEM, *libraries()):
        _show(path, f"{new}{path}")
    for path in hidden():
        mount(
            "tmpfs", f"{new}{path}", "tmpfs", syscalls.RDONLY | NOSUID | NODEV, "size=4k,mode=755"
        )
    for outside, inside in confinement.shown:
        _show(outside, f"{new}{inside}")
    with contextlib.suppress(OSError):  # a container that masks /proc goes without
        mount("proc", f"{new}/proc", "proc", NOSUID | NODEV | NOEXEC)
    syscalls.pivot_root(new)
    mount(None, "/", None, syscalls.REMOUNT | syscalls.BIND | syscalls.RDONLY | NOSUID | NODEV)
    os.chdir(HOME)


def _leave_the_mounts_of_others() -> None:
    """What is mounted from now on is mounted here alone."""
    try:
        mount("none", "/", None, syscalls.RECURSIVE | syscalls.PRIVATE)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise OSError(NO_MOUNT_POINT) from None
        raise


def _show(source: str, target: str) -> None:
    if os.path.islink(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.symlink(os.readlink(source), target)
    elif os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
        syscalls.bind_read_only(source, target)
    elif os.path.exists(source):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
        syscalls.bind_read_only(source, target)


def _rules(confinement: Confinement) -> Iterator[tuple[str, int]]:
    """What Landlock lets through: behind walls of level 3 everything that is left; without them
    only what is named.
    """
    if confinement.level >= 3:
        yield "/", landlock.LOOK
        yield from ((path, landlock.CHANGE) for path in (HOME, "/tmp", "/dev/shm"))
        # its own terminals: without namespaces there would be those of others too
        yield "/dev/pts", landlock.READ | landlock.WRITE | landlock.IOCTL
    else:
        for path in (*SYSTEM, *libraries()):
            yield from ((each, landlock.LOOK) for each in _without(path, hidden()))
        yield from ((outside, landlock.LOOK) for outside, _ in confinement.shown)
        yield from (
            (path, landlock.LOOK) for path in ("/proc/self", "/proc/cpuinfo", "/proc/meminfo")
        )
        yield confinement.work, landlock.CHANGE
    for device in DEVICES:
        yield (
            f"/dev/{device}",
            landlock.READ | (landlock.WRITE if device in ("null", "zero", "full") else 0),
        )


def _without(path: str, secret: list[str]) -> Iterator[str]:
    """The path, or the parts of it that are left when the secret ones are taken out: Landlock can
    only allow.
    """
    if path in secret:
        return
    if any(each.startswith(path + "/") for each in secret):
        for entry in os.scandir(path):
            yield from _without(entry.path, secret)
    else:
        yield path
