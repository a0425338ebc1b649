"""The warm process: it has imported the third-party packages, and forks one child per submission.

It never reads an order: it accepts a connection and forks, and the child reads. So nothing of a submission, an exercise or a seed
is ever in its memory, and children cannot find anything of each other in what they inherit.
Run as `python -m autograder.sandbox.warm FOLDER LEVEL [MODULE ...]`; the socket is FOLDER/socket. It imports at once, then reads
one line with what is known only later (the view of the course, further modules), says "ready", and ends when its standard input does.
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
import traceback
from typing import Any, NoReturn

from autograder.sandbox import agent, attack, limits, plan, seccomp, shell, syscalls, walls, wire

KEPT = 200  # descriptors of a child are moved above this number, and everything below is closed
__all__ = ["attack", "limits", "resource", "wire"]  # loaded before the walls stand


def import_all(modules: list[str]) -> None:
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue  # what is not installed will not be missed here, but where it is used


def import_neutral(view: str) -> None:
    """Import what every child needs of the course: how to play a case. The view holds nothing that a student may not read."""
    sys.path.insert(0, view)
    import_all(["course_utils.play"])
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


def comes_from_inside(connection: socket.socket) -> bool:
    """Is the caller one of our own descendants (orphans come back to us, so none escapes this)?"""
    pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    while pid > 1 and pid != os.getpid():
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            return True  # gone already: whoever it was gets nothing
    return pid == os.getpid()


class Warm:
    """Accepts, forks, watches and buries."""

    def __init__(self, folder: str, level: int) -> None:
        self.folder, self.level = folder, level
        self.mount_point = f"{folder}/root"
        self.filters = {network: seccomp.compile_filter(network=network) for network in (True, False)} if level >= 2 else {}
        self.shell: Any = None
        self.emit: list[shell.Emit] = [lambda output: None]
        self.children: dict[int, tuple[int, socket.socket]] = {}  # pidfd -> (pid, connection)
        self.connections: dict[int, int] = {}  # descriptor of a connection -> pidfd
        self.poll = select.poll()

    def prepare_shell(self) -> None:
        """One IPython shell, made once and inherited by every child."""
        self.shell = shell.make_shell(lambda output: self.emit[0](output))
        shell.inline_figures(self.shell)
        shell.rehearse(self.shell)
        shell.rehearse_tensors()

    def rebind(self, emit: shell.Emit) -> None:
        self.emit[0] = emit

    def serve(self, listener: socket.socket) -> NoReturn:
        self.poll.register(listener, select.POLLIN)
        self.poll.register(0, 0)  # whoever started us holds the other end: if it goes, we go
        own_pid = os.pidfd_open(os.getpid())
        while True:
            for fd, event in self.poll.poll():
                if fd == listener.fileno():
                    connection, _ = listener.accept()
                    if self.level < 3 and comes_from_inside(connection):
                        connection.close()  # without a root of its own a child can see the socket: it shall not order children
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
        if self.level >= 3:
            syscalls.unshare("pid")  # the next child is the first process of a namespace of its own: when it dies, all die
        pid = os.fork()
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
        _, status, used = os.wait4(pid, 0)
        if self.level < 3:
            self.sweep()
        report = {"exit": os.waitstatus_to_exitcode(status), "cpu": used.ru_utime + used.ru_stime, "peak_mb": used.ru_maxrss / 1024}
        with contextlib.suppress(OSError):
            connection.send(json.dumps(report).encode())
        connection.close()
        os.close(pidfd)

    def sweep(self) -> None:
        """Without a namespace, orphans of a child come to us: every child of ours that we did not make is one."""
        for _ in range(100):
            with open(f"/proc/self/task/{os.getpid()}/children") as file:
                orphans = {int(pid) for pid in file.read().split()} - {pid for pid, _ in self.children.values()}
            if not orphans:
                return
            for pid in orphans:
                try:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, 0)
                except OSError:
                    continue

    def end(self) -> NoReturn:
        for pidfd in list(self.children):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
            self.bury(pidfd)
        os._exit(0)

    def child(self, connection: socket.socket, listener: socket.socket) -> NoReturn:
        """Read the plan, raise the walls, close everything else, and serve."""
        try:
            syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
            data, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 1)
            told = plan.Plan.from_bytes(data)
            walls.build(told, self.filters, self.mount_point)
            channel = fcntl.fcntl(descriptors[0], fcntl.F_DUPFD, KEPT)
            home = walls.HOME if told.level >= 3 else told.work
            temporary = "/tmp" if told.level >= 3 else told.work
            os.environ.update(HOME=home, TMPDIR=temporary, IPYTHONDIR=f"{temporary}/.ipython", PWD=home)
            tempfile.tempdir = None
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, 0)
            for low, high in ((3, channel), (channel + 1, 4096)):
                os.closerange(low, high)
        except BaseException:
            try:
                connection.send(json.dumps({"error": traceback.format_exc()[-2000:]}).encode())
            finally:
                os._exit(97)
        try:
            agent.run(channel, channel, told.path, self.shell, self.rebind)
        finally:
            os._exit(98)


def enter_user_namespace() -> None:
    """An ordinary user may make the other namespaces only inside a user namespace; we go on as the first process in it."""
    uid, gid = os.getuid(), os.getgid()
    syscalls.unshare("user", "pid")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
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
    warm = Warm(folder, level)
    import_all(modules)
    if modules:
        warm.prepare_shell()
    agent.forget_the_course()
    view, *further = told_later()
    import_all(further)
    if view != "-":
        import_neutral(view)
    if level < 3:
        syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"{folder}/socket")
    listener.listen(64)
    gc.collect()
    gc.freeze()
    print("ready", flush=True)
    warm.serve(listener)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
