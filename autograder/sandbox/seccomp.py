"""The system calls that student code has no use for, as a filter: compiled once, loaded in every
child within microseconds.
"""

import contextlib
import ctypes
import errno
import os
import socket
import tempfile
from typing import Any

from autograder.sandbox.syscalls import PR_SET_NO_NEW_PRIVS, UNSHARE, prctl, syscall

REFUSED = [
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "open_tree",
    "move_mount",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "pidfd_getfd",
    "kcmp",
    "keyctl",
    "add_key",
    "request_key",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "kexec_load",
    "kexec_file_load",
    "init_module",
    "finit_module",
    "delete_module",
    "open_by_handle_at",
    "name_to_handle_at",
    "swapon",
    "swapoff",
    "reboot",
    "acct",
    "quotactl",
    "syslog",
    "settimeofday",
    "clock_settime",
    "adjtimex",
    "clock_adjtime",
    "sethostname",
    "setdomainname",
    "ioperm",
    "iopl",
    "lookup_dcookie",
    "nfsservctl",
    "vhangup",
    "fanotify_init",
    "inotify_add_watch",  # it tells when a neighbour reads a library
    "memfd_create",  # memory that no process has mapped counts for nobody
    "memfd_secret",
    "shmget",
    "msgget",
]
# Without namespaces, what Landlock leaves open where the grader is of the same user: sockets of
# other programs, rights, times and lengths of files, objects that outlive their maker
REFUSED_AMONG_OTHERS = [
    *("connect", "truncate", "semget", "mq_open", "mq_unlink"),
    *("chown", "lchown", "fchownat"),
    *("setxattr", "lsetxattr", "setxattrat", "removexattr", "lremovexattr", "removexattrat"),
]
WITHOUT_EFFECT_AMONG_OTHERS = [  # honest code calls them, and can do without their effect
    *("setsid", "setpgid"),  # leaving the process group would mean surviving its end
    *("chmod", "fchmodat", "fchmodat2"),
    *("utime", "utimes", "futimesat", "utimensat"),
]
OF_ANOTHER_PROCESS = [  # call, the argument that says whose: 0 is one's own, all others are refused
    *(("prlimit64", 0), ("sched_setscheduler", 0), ("sched_setparam", 0), ("sched_setattr", 0)),
    *(("setpriority", 0), ("setpriority", 1), ("ioprio_set", 1)),
]
PR_SET_PDEATHSIG = 1
F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW, F_SETLEASE, F_NOTIFY = 6, 7, 37, 38, 1024, 1026
TIOCSCTTY = 0x540E  # takes a terminal for a session
KIND_OF_SOCKET = 0xF  # the part of the argument that says which; the rest are flags
FAMILIES = 48  # above the highest address family that exists
LOW = 0xFFFFFFFF  # the half of an argument that the kernel looks at
TIOCSTI = 0x5412  # types into the terminal of whoever started us


def compile_filter(*, network: bool) -> bytes:
    """The filter as BPF; `network`: for a child with its own network, which leads nowhere, and its
    own pid namespace, in which a process may leave its group without escaping.
    """
    import pyseccomp as lib

    rules = lib.SyscallFilter(lib.ALLOW)
    for name in REFUSED:
        _add(rules, lib.ERRNO(errno.EPERM), name)
    rules.add_rule(
        lib.ERRNO(errno.ENOSYS), "clone3"
    )  # its flags cannot be seen; libc falls back to clone, whose flags can
    for flag in UNSHARE.values():
        rules.add_rule(lib.ERRNO(errno.EPERM), "clone", lib.Arg(0, lib.MASKED_EQ, flag, flag))
    allowed = {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6} if network else {socket.AF_UNIX}
    for family in range(FAMILIES):
        if family not in allowed:  # AF_VSOCK among them, which a network namespace does not cover
            rules.add_rule(lib.ERRNO(errno.EACCES), "socket", lib.Arg(0, lib.EQ, family))
    rules.add_rule(lib.ERRNO(errno.EACCES), "socket", lib.Arg(0, lib.GE, FAMILIES))
    rules.add_rule(lib.ERRNO(errno.EPERM), "ioctl", lib.Arg(1, lib.MASKED_EQ, LOW, TIOCSTI))
    _pretend(rules)
    if not network:
        _among_others(rules)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _pretend(rules: Any) -> None:
    """Calls that honest code makes and that must have no effect: they succeed and do nothing.

    A lock on a library's file would tell a neighbour something; on files of its own a child is
    alone. Who asks not to end with its parent ends with it all the same.
    """
    import pyseccomp as lib

    rules.add_rule(lib.ERRNO(0), "flock")
    for command in (F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW):
        rules.add_rule(lib.ERRNO(0), "fcntl", lib.Arg(1, lib.MASKED_EQ, LOW, command))
    for command in (F_SETLEASE, F_NOTIFY):
        rules.add_rule(lib.ERRNO(errno.EPERM), "fcntl", lib.Arg(1, lib.MASKED_EQ, LOW, command))
    rules.add_rule(lib.ERRNO(0), "prctl", lib.Arg(0, lib.MASKED_EQ, LOW, PR_SET_PDEATHSIG))


def _among_others(rules: Any) -> None:
    """Without namespaces, the others are in reach, and perhaps of the same user."""
    import pyseccomp as lib

    refused, nothing = lib.ERRNO(errno.EPERM), lib.ERRNO(0)
    _add(rules, nothing, "ioctl", lib.Arg(1, lib.MASKED_EQ, LOW, TIOCSCTTY))
    for name in REFUSED_AMONG_OTHERS:
        _add(rules, refused, name)
    for name in WITHOUT_EFFECT_AMONG_OTHERS:
        _add(rules, nothing, name)
    for name, argument in OF_ANOTHER_PROCESS:
        _add(rules, refused, name, lib.Arg(argument, lib.NE, 0))
    # libraries call it for their threads
    _add(rules, nothing, "sched_setaffinity", lib.Arg(0, lib.NE, 0))
    # who may not connect could still send to an address
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        for name in ("socket", "socketpair"):
            _add(rules, refused, name, lib.Arg(1, lib.MASKED_EQ, KIND_OF_SOCKET, int(kind)))
    # older versions of Landlock let a file be emptied that may only be read
    for name, argument in (("open", 1), ("openat", 2)):
        emptied = lib.Arg(argument, lib.MASKED_EQ, os.O_TRUNC | os.O_ACCMODE, os.O_TRUNC)
        _add(rules, refused, name, emptied)
    _add(rules, lib.ERRNO(errno.ENOSYS), "openat2")  # its flags cannot be seen


def _add(rules: Any, action: Any, name: str, *arguments: Any) -> None:
    """A rule, unless this architecture or library does not know the call."""
    with contextlib.suppress(ValueError, OSError, RuntimeError):
        rules.add_rule(action, name, *arguments)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def load(bpf: bytes) -> None:
    """Put this process, all its threads and its children behind the filter, for good."""
    code = ctypes.create_string_buffer(bpf, len(bpf))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall(
        "seccomp", 1, 1, ctypes.byref(_Program(len(bpf) // 8, ctypes.cast(code, ctypes.c_void_p)))
    )  # set mode filter, all threads
