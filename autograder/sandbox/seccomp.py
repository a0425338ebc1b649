"""The system calls that student code has no use for, as a filter: compiled once, loaded in every child within microseconds."""

import ctypes
import errno
import socket
import tempfile

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
]
FAMILIES = 48  # above the highest address family that exists
TIOCSTI = 0x5412  # types into the terminal of whoever started us


def compile_filter(*, network: bool) -> bytes:
    """The filter as BPF; `network`: allow internet sockets, which lead nowhere in an empty network namespace."""
    import pyseccomp as lib

    rules = lib.SyscallFilter(lib.ALLOW)
    for name in REFUSED:
        try:
            rules.add_rule(lib.ERRNO(errno.EPERM), name)
        except (ValueError, OSError, RuntimeError):
            continue  # a call that this architecture or library does not know
    rules.add_rule(lib.ERRNO(errno.ENOSYS), "clone3")  # its flags cannot be seen; libc falls back to clone, whose flags can
    for flag in UNSHARE.values():
        rules.add_rule(lib.ERRNO(errno.EPERM), "clone", lib.Arg(0, lib.MASKED_EQ, flag, flag))
    allowed = {socket.AF_UNIX, socket.AF_INET, socket.AF_INET6} if network else {socket.AF_UNIX}
    for family in range(FAMILIES):
        if family not in allowed:  # AF_VSOCK among them, which a network namespace does not cover
            rules.add_rule(lib.ERRNO(errno.EACCES), "socket", lib.Arg(0, lib.EQ, family))
    rules.add_rule(lib.ERRNO(errno.EACCES), "socket", lib.Arg(0, lib.GE, FAMILIES))
    rules.add_rule(lib.ERRNO(errno.EPERM), "ioctl", lib.Arg(1, lib.MASKED_EQ, 0xFFFFFFFF, TIOCSTI))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def load(bpf: bytes) -> None:
    """Put this process, all its threads and its children behind the filter, for good."""
    code = ctypes.create_string_buffer(bpf, len(bpf))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall("seccomp", 1, 1, ctypes.byref(_Program(len(bpf) // 8, ctypes.cast(code, ctypes.c_void_p))))  # set mode filter, all threads
