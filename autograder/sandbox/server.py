"""The warm process: it has imported the third-party packages, and forks one child per submission.

It never reads an order: it accepts a connection and forks, and the child reads. So nothing of a
submission, an exercise or a seed is ever in its memory, and children cannot find anything of each
other in what they inherit.

Run as `python -m autograder.sandbox.server FOLDER LEVEL [MODULE ...]`; the socket is FOLDER/socket.
It imports at once, then reads one line with what is known only later (the view of the course,
further modules), says "ready": its walls can be attacked. Meanwhile it imports what draws, bit by
bit, says "warm", and ends when its standard input does.
"""

import contextlib
import fcntl
import gc
import importlib
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

from autograder.sandbox import (
    agent,
    attack,
    confinement,
    limits,
    seccomp,
    shell,
    syscalls,
    users,
    walls,
    wire,
)

KEPT = 200  # descriptors of a child are moved above this number, and everything below is closed
OWN_MEMORY = 1024  # megabytes that the warm process may use beyond what it has imported
SWEEP = 5.0  # seconds in which orphans must be gone
REAP = 0.2  # seconds between two burials of orphans
LATER = "matplotlib"  # packages whose names begin so are imported while the walls are attacked
__all__ = ["attack", "resource", "wire"]  # loaded before the walls stand


def import_all(modules: list[str]) -> None:
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # what is not installed will not be missed here, but where it is used


def import_neutral(view: str) -> None:
    """Import what every child needs of the course: how to play a case. The view holds nothing that
    a student may not read.
    """
    sys.path.insert(0, view)
    import_all(["course_utils.judging.runner"])
    sys.path.remove(view)


def told_later() -> list[str]:
    """Where the view of the course is (or "-"), and further modules to import."""
    line = b""
    while not line.endswith(b"\n"):
        chunk = os.read(0, 1 << 16)
        if not chunk:
            os._exit(0)  # whoever started us is gone
        line += chunk
    return line.decode().split()


def warm() -> None:
    """Nothing that is here now is garbage, or changes any more."""
    gc.collect()
    gc.freeze()
    gc.enable()
    print("warm", flush=True)


def comes_from_inside(connection: socket.socket) -> bool:
    """Is the caller one of our own descendants (orphans come back to us, so none escapes this)?"""
    pid, _, _ = struct.unpack(
        "3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    )
    while pid > 1 and pid != os.getpid():
        try:
            pid = limits.parent(pid)
        except (OSError, IndexError, ValueError):
            return True  # gone already: whoever it was gets nothing
    return pid == os.getpid()


class Server:
    """Accepts, forks, watches and buries."""

    def __init__(self, folder: str, level: int) -> None:
        self.folder, self.level = folder, level
        self.mount_point = f"{folder}/root"
        self.filters = (
            {network: seccomp.compile_filter(network=network) for network in (True, False)}
            if level >= 2
            else {}
        )
        self.shell: Any = None
        self.ready: agent.Ready | None = None
        self.emit: list[shell.Emit] = [lambda output: None]
        self.children: dict[int, tuple[int, socket.socket]] = {}  # pidfd -> (pid, connection)
        self.connections: dict[int, int] = {}  # descriptor of a connection -> pidfd
        self.poll = select.poll()
        self.later: list[Callable[[], object]] = []  # to be done while nobody asks for a child
        self.broken = False  # something of a child is left: no further child

    def prepare_shell(self) -> None:
        """One IPython shell, made once and inherited by every child."""
        self.shell = shell.make_shell(lambda output: self.emit[0](output))
        shell.rehearse(self.shell)
        if "torch" in sys.modules:
            shell.rehearse_tensors()

    def do_later(self, modules: list[str]) -> None:
        """Import these while nobody asks for a child; then everything is warm."""
        self.later = [partial(import_all, [name]) for name in modules]
        if self.shell is not None and any(name.startswith(LATER) for name in modules):
            self.later += [partial(shell.inline_figures, self.shell), shell.rehearse_figure]
        if self.shell is not None and modules:
            self.later.append(self.make_ready)
        self.later.append(warm)

    def make_ready(self) -> None:
        self.ready = agent.make_ready(self.shell)

    def rebind(self, emit: shell.Emit) -> None:
        self.emit[0] = emit

    def serve(self, listener: socket.socket) -> NoReturn:
        self.poll.register(listener, select.POLLIN)
        self.poll.register(0, 0)  # whoever started us holds the other end: if it goes, we go
        own_pid = os.pidfd_open(os.getpid())
        while True:
            self.bury_orphans()
            wait = 0 if self.later else 1000 * REAP if self.level < 3 else None
            events = self.poll.poll(wait)
            if self.later and not events:
                self.later.pop(0)()
            for fd, event in events:
                if fd == listener.fileno():
                    connection, _ = listener.accept()
                    # a child without its own root can see the socket, but shall order no children
                    if self.broken or (self.level < 3 and comes_from_inside(connection)):
                        connection.close()
                    else:
                        self.fork(connection, listener, own_pid)
                elif fd == 0:
                    self.end()
                elif fd in self.children:
                    self.bury(fd)
                elif fd in self.connections and event & (select.POLLHUP | select.POLLERR):
                    pidfd = self.connections[fd]
                    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
                    self.bury(pidfd)

    def fork(self, connection: socket.socket, listener: socket.socket, own_pid: int) -> None:
        try:
            if self.level >= 3:  # the child is the first of a pid namespace: when it dies, all die
                syscalls.unshare("pid")
            pid = os.fork()
        except OSError as error:
            with contextlib.suppress(OSError):
                connection.send(json.dumps({"error": str(error)}).encode())
            connection.close()
            return
        if pid == 0:
            self.child(connection, listener)
        if self.level >= 3:
            syscalls.setns(own_pid, "pid")
        pidfd = os.pidfd_open(pid)
        with contextlib.suppress(OSError):  # it may be gone again: the hang-up is noticed later
            socket.send_fds(connection, [b"pidfd"], [pidfd])
        self.children[pidfd] = (pid, connection)
        self.connections[connection.fileno()] = pidfd
        self.poll.register(pidfd, select.POLLIN)
        self.poll.register(connection, 0)

    def bury(self, pidfd: int) -> None:
        pid, connection = self.children.pop(pidfd)
        self.connections.pop(connection.fileno(), None)
        self.poll.unregister(pidfd)
        self.poll.unregister(connection)
        if self.level < 3:
            self.end_group(pid)
        _, status, used = os.wait4(pid, 0)
        if self.level < 3:
            self.broken = not self.sweep()
        report = {
            "exit": os.waitstatus_to_exitcode(status),
            "cpu": used.ru_utime + used.ru_stime,
            "peak_mb": used.ru_maxrss / 1024,
        }
        with contextlib.suppress(OSError):
            connection.send(json.dumps(report).encode())
        connection.close()
        os.close(pidfd)

    def end_group(self, pid: int) -> None:
        """Kill all that a child started, at one stroke: its process group, which level 2 lets
        nobody
        leave, and at level 1 all of its user. The child is not waited for yet, so that its number
        cannot mean anybody else."""
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL)
        if self.level == 1 and os.geteuid() == 0:
            with contextlib.suppress(OSError):
                uid = _user_of(pid)
                if users.is_ours(uid):
                    users.kill_all_of(uid)

    def sweep(self) -> bool:
        """Without a namespace, orphans of a child come to us: end those that belong to no living
        one.

        Are all of them gone?
        """
        deadline = time.monotonic() + SWEEP
        while orphans := self.orphans():
            for pid in orphans:
                limits.end_tree(pid, SWEEP / 10)
            for pid in orphans:
                with contextlib.suppress(OSError):
                    os.waitpid(pid, os.WNOHANG)
            if time.monotonic() > deadline:
                return False
        return True

    def orphans(self) -> list[int]:
        """Those that belong to no living child."""
        alive = {pid for pid, _ in self.children.values()}
        return [pid for pid in self.adopted() if _group_of(pid) not in alive]

    def adopted(self) -> set[int]:
        """Processes that came to us when their parents died."""
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return {int(pid) for pid in file.read().split()} - {
                pid for pid, _ in self.children.values()
            }

    def bury_orphans(self) -> None:
        """The dead count against their submission's limit on processes until they are buried."""
        for pid in self.adopted() if self.level < 3 else ():
            with contextlib.suppress(OSError):
                os.waitpid(pid, os.WNOHANG)

    def end(self) -> NoReturn:
        for pidfd in list(self.children):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            self.bury(pidfd)
        os._exit(0)

    def child(self, connection: socket.socket, listener: socket.socket) -> NoReturn:
        """Read the confinement, raise the walls, close everything else, and serve."""
        try:
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            data, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 1)
            told = confinement.Confinement.from_bytes(data)
            channel = fcntl.fcntl(descriptors[0], fcntl.F_DUPFD, KEPT)
            captured = fcntl.fcntl(agent.capture(), fcntl.F_DUPFD, channel + 1)
            company = limits.Company(os.getppid(), len(self.children))
            walls.build(told, self.filters, self.mount_point, company)
            home = walls.HOME if told.level >= 3 else told.work
            temporary = "/tmp" if told.level >= 3 else told.work
            os.environ.update(
                HOME=home, TMPDIR=temporary, IPYTHONDIR=f"{temporary}/.ipython", PWD=home
            )
            if LATER not in sys.modules:  # it looks for fonts, and keeps what it finds
                os.environ["MPLCONFIGDIR"] = f"{temporary}/.matplotlib"
                os.environ["XDG_CACHE_HOME"] = f"{temporary}/.cache"
            tempfile.tempdir = None
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            for low, high in ((3, channel), (channel + 1, captured), (captured + 1, 4096)):
                os.closerange(low, high)
        except BaseException:
            try:
                connection.send(json.dumps({"error": traceback.format_exc()[-2000:]}).encode())
            finally:
                os._exit(97)
        try:
            agent.run(channel, channel, captured, told.path, self.ready, self.rebind)
        finally:
            os._exit(98)


def _user_of(pid: int) -> int:
    """Whose process it is, also after its end."""
    with open(f"/proc/{pid}/status", "rb") as file:  # a name may hold any bytes
        return next(int(line.split()[1]) for line in file if line.startswith(b"Uid:"))


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def enter_user_namespace() -> None:
    """An ordinary user may make the other namespaces only inside a user namespace; we go on as the
    first process in it.
    """
    uid, gid = os.getuid(), os.getgid()
    syscalls.unshare("user", "pid")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{uid} {uid} 1"),
        ("gid_map", f"{gid} {gid} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        os._exit(0)
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)


def main(folder: str, level: int, modules: list[str]) -> NoReturn:
    if level >= 3 and os.getuid() != 0:
        enter_user_namespace()
    gc.disable()  # what is imported stays
    server = Server(folder, level)
    import_all([name for name in modules if not name.startswith(LATER)])
    if modules:
        server.prepare_shell()
    agent.forget_the_course()
    view, *further = told_later()
    if view != "-":
        import_neutral(view)
    if server.shell is not None:
        server.make_ready()
    server.do_later([*(name for name in modules if name.startswith(LATER)), *further])
    if level < 3:
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"{folder}/socket")
    listener.listen(64)
    print("ready", flush=True)
    limits.limit_own_memory(OWN_MEMORY)
    server.serve(listener)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
