"""Landlock: a process names the files that it will ever touch, and the kernel holds it to that."""

import ctypes
import os
import stat
import struct

from autograder.sandbox.syscalls import PR_SET_NO_NEW_PRIVS, prctl, syscall

EXECUTE, WRITE, READ, LIST, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_DIR, MAKE_FILE, MAKE_SOCKET, MAKE_FIFO, MAKE_LINK, REFER, TRUNCATE, IOCTL = (
    1 << bit for bit in (7, 8, 9, 10, 12, 13, 14, 15)
)
LOOK = EXECUTE | READ | LIST
CHANGE = (
    LOOK
    | WRITE
    | REMOVE_DIR
    | REMOVE_FILE
    | MAKE_DIR
    | MAKE_FILE
    | MAKE_SOCKET
    | MAKE_FIFO
    | MAKE_LINK
    | REFER
    | TRUNCATE
)
OF_A_FILE = EXECUTE | WRITE | READ | TRUNCATE | IOCTL
HANDLED = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}


def version() -> int:
    """The kernel's version of Landlock; 0 if it has none."""
    try:
        return max(0, syscall("landlock_create_ruleset", None, ctypes.c_size_t(0), 1))
    except OSError:
        return 0


def restrict(rules: list[tuple[str, int]], *, tcp: bool) -> None:
    """Allow this process and its children nothing on disk but the rules; `tcp`: also no TCP where
    the kernel can.
    """
    abi = version()
    if not abi:
        raise OSError("the kernel has no Landlock")
    files = HANDLED[min(abi, 5)]
    network = 3 if abi >= 4 and tcp else 0  # bind and connect
    scope = 3 if abi >= 6 else 0  # abstract sockets and signals stay inside
    attributes = struct.pack("QQQ", files, network, scope)[
        : 8 if abi < 4 else 16 if abi < 6 else 24
    ]
    ruleset = syscall("landlock_create_ruleset", attributes, ctypes.c_size_t(len(attributes)), 0)
    for path, access in rules:
        try:
            handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # what is not there needs no rule
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            access &= OF_A_FILE
        syscall("landlock_add_rule", ruleset, 1, struct.pack("<Qi", access & files, handle), 0)
        os.close(handle)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)
