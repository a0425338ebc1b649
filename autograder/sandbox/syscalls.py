"""The few system calls that Python does not offer, by ctypes; Linux only, and only in a process
with one thread.
"""

import ctypes
import os
import platform

UNSHARE = {
    "user": 0x10000000,
    "mount": 0x20000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "ipc": 0x8000000,
    "uts": 0x4000000,
}
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, RECURSIVE, PRIVATE = (
    1,
    2,
    4,
    8,
    32,
    4096,
    16384,
    1 << 18,
)
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_CAPBSET_READ, PR_CAPBSET_DROP = (
    1,
    4,
    8,
    23,
    24,
)
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
AMBIENT_RAISE, AMBIENT_CLEAR = 2, 4
CAP_DAC_READ_SEARCH = 2  # read and enter what only its owner may
NUMBERS = {  # of calls that libc does not wrap: (x86-64, aarch64)
    "pivot_root": (155, 41),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
}

libc = ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """The result of a call, or the OSError that it means."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(name: str, *args: object) -> int:
    machine = platform.machine()
    if machine not in ("x86_64", "aarch64"):
        raise OSError(f"no system call numbers are known for {machine}")
    return checked(libc.syscall(ctypes.c_long(NUMBERS[name][machine == "aarch64"]), *args), name)


def unshare(*names: str) -> None:
    checked(libc.unshare(sum(UNSHARE[name] for name in names)), "unshare " + "+".join(names))


def setns(fd: int, name: str) -> None:
    checked(libc.setns(fd, UNSHARE[name]), f"setns {name}")


def prctl(option: int, *args: int) -> int:
    values = [ctypes.c_ulong(value) for value in (*args, 0, 0, 0, 0)[:4]]
    return checked(libc.prctl(option, *values), f"prctl {option}")


def mount(
    source: str | None,
    target: str,
    kind: str | None = None,
    flags: int = 0,
    data: str | None = None,
) -> None:
    encoded = [None if text is None else os.fsencode(text) for text in (source, target, kind, data)]
    checked(
        libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3]),
        f"mount {source} on {target}",
    )


def bind_read_only(source: str, target: str) -> None:
    """Show `source` at `target`, read-only; a remount must keep the flags that the source's mount
    has locked.
    """
    mount(source, target, None, BIND)
    locked = NOEXEC if os.statvfs(source).f_flag & os.ST_NOEXEC else 0
    mount(None, target, None, BIND | REMOUNT | RDONLY | NOSUID | NODEV | locked)


def pivot_root(new: str) -> None:
    """Make `new` the root, and forget the old one."""
    os.chdir(new)
    os.makedirs("old", exist_ok=True)
    syscall("pivot_root", b".", b"old")
    os.chdir("/")
    checked(libc.umount2(b"/old", 2), "umount of the old root")  # 2: detach
    os.rmdir("/old")


class _CapHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _CapData(ctypes.Structure):
    _fields_ = [
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    ]


def may_pass_on(capability: int) -> bool:
    """Does this process have a capability that it could leave to another user?"""
    data = (_CapData * 2)()
    header = _CapHeader(0x20080522, 0)
    checked(libc.capget(ctypes.byref(header), ctypes.byref(data)), "capget")
    bounding = libc.prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1
    return bounding and bool(data[0].permitted >> capability & 1)


def become(uid: int, kept: int | None) -> None:
    """Become another user for good, with no capability but `kept`, which its programs have too."""
    if kept is not None:
        prctl(PR_SET_KEEPCAPS, 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if kept is not None:
        _set_capabilities(1 << kept)
        prctl(PR_CAP_AMBIENT, AMBIENT_RAISE, kept)


def drop_capabilities(kept: int | None = None) -> None:
    """Give up every capability but `kept`, for good."""
    for capability in range(64):
        if capability != kept and libc.prctl(PR_CAPBSET_READ, capability, 0, 0, 0) == 1:
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    if kept is None:
        libc.prctl(PR_CAP_AMBIENT, AMBIENT_CLEAR, 0, 0, 0)
    _set_capabilities(0 if kept is None else 1 << kept)


def _set_capabilities(mask: int) -> None:
    data = (_CapData * 2)(_CapData(mask, mask, mask))
    checked(libc.capset(ctypes.byref(_CapHeader(0x20080522, 0)), ctypes.byref(data)), "capset")
