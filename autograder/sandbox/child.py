"""A child that the warm process forked, behind walls: one connection to ask for it, one channel for
its orders.
"""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import tempfile
import time
from dataclasses import replace

from autograder.sandbox import cgroups, limits, users, wire
from autograder.sandbox.confinement import Confinement
from autograder.sandbox.orders import (
    START,
    WATCH,
    AnyChild,
    ChildDied,
    Consider,
    LimitHit,
    Order,
    SandboxError,
    Spent,
    remove_folder,
)
from autograder.sandbox.wire import WireError

PATIENCE = 0.5  # seconds that an interrupted cell gets to come to an end
DEATH = 20.0  # seconds that killed processes may take to be gone


class Child(AnyChild):
    """One forked, walled-in process."""

    def __init__(self, address: str, confinement: Confinement, output_kb: int = 2048) -> None:
        super().__init__(confinement, output_kb)
        self.address = address
        self.killed, self.survived, self.closed = False, False, False
        self.pidfd, self.work = -1, ""
        self.group: cgroups.Group | None = None
        self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.connection.settimeout(START)
        self.channel, theirs = socket.socketpair()
        self.channel.settimeout(0)
        try:
            self._prepare()
            self._start(theirs)
        except (OSError, ChildDied, LimitHit, WireError, users.NoUser, SandboxError) as error:
            reason = self._last_words() or str(error)
            self.close()
            raise SandboxError(f"no child: {reason}") from None
        finally:
            theirs.close()
        self.start_seconds = time.monotonic() - self.began

    def _prepare(self) -> None:
        """A user, a folder and a control group of its own, where the level has need of them."""
        confinement = users.with_user(self.confinement)
        if confinement.level < 3:
            self.work = tempfile.mkdtemp(prefix="work-", dir=os.path.dirname(self.address))
            if confinement.uid:
                os.chown(self.work, confinement.uid, confinement.uid)
            path = tuple(self.outside(entry) for entry in confinement.path)
            confinement = replace(confinement, work=self.work, path=path)
        self.group = cgroups.make(confinement)
        if self.group is not None:
            confinement = replace(confinement, groups=tuple(self.group.folders))
        self.confinement = confinement

    def _start(self, theirs: socket.socket) -> None:
        self.connection.connect(self.address)
        socket.send_fds(self.connection, [self.confinement.to_bytes()], [theirs.fileno()])
        theirs.close()
        told, descriptors, _, _ = socket.recv_fds(self.connection, 4096, 1)
        if not descriptors:
            why = json.loads(told)["error"] if told else "the warm process gave none"
            raise SandboxError(str(why))
        self.pidfd = descriptors[0]
        self.tree = limits.Tree(_pid_of(self.pidfd), self.group)
        self.receive(time.monotonic() + START, lambda header, body: "ready" in header, None)

    def interrupt(self, hit: LimitHit, allowed: Order, consider: Consider) -> bool:
        """An endless loop then ends with a traceback that shows its line."""
        if not allowed.polite or hit.limit != allowed.limit:
            return False
        more = Order(self.watch.used() + PATIENCE, allowed.limit)
        try:
            signal.pidfd_send_signal(self.pidfd, signal.SIGINT)
            self.receive(time.monotonic() + PATIENCE, consider, more)
        except (LimitHit, ChildDied, OSError):
            return False
        return True

    def write(self, frame: bytes, deadline: float, allowed: Order) -> None:
        view = memoryview(frame)
        while view:
            try:
                view = view[self.channel.send(view) :]
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    deadline = time.monotonic() + self.left(allowed)
                self.look()  # it may use the time in which nobody reads for something else
                select.select([], [self.channel], [], WATCH)

    def receive(self, deadline: float, consider: Consider, allowed: Order | None) -> None:
        poller = select.poll()
        poller.register(self.channel, select.POLLIN)
        # until it is ready, whoever cannot build the walls says so on the connection
        poller.register(self.connection if allowed is None else self.pidfd, select.POLLIN)
        buffer = bytearray()
        while True:
            now = time.monotonic()
            if now >= deadline:
                deadline = now + self.left(allowed)
            if now - self.watch.began > WATCH:
                self.watch.mark()
            if allowed is not None:
                self.look()
            events = dict(poller.poll(1000 * min(WATCH, deadline - now)))
            if self.channel.fileno() not in events:
                if events:
                    raise ChildDied
                continue
            if self._complete(buffer):
                start = wire.PREFIX.size
                head, _ = wire.unpack_prefix(bytes(buffer[:start]))
                header = wire.parse_header(buffer[start : start + head])
                self.count(header, len(buffer))
                if consider(header, buffer[start + head :]):
                    return
                buffer = bytearray()

    def _complete(self, buffer: bytearray) -> bool:
        """Read on as long as there is something to read; is the frame complete?"""
        size = needed = wire.PREFIX.size
        while True:
            if len(buffer) >= size:
                needed = size + sum(wire.unpack_prefix(bytes(buffer[:size])))
                if len(buffer) == needed:
                    return True
            try:
                chunk = self.channel.recv(min(1 << 20, needed - len(buffer)))
            except BlockingIOError:
                return False
            if not chunk:
                raise ChildDied
            buffer += chunk

    def kill(self) -> None:
        """Kill the child and all that it started; what is left of it, the warm process ends."""
        if self.pidfd >= 0 and not self.killed:
            self.killed = True
            if self.group is not None:
                self.group.kill()
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def stop_everything(self) -> None:
        """End the warm process with all its children: no further child can be had from it."""
        told = self.connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        limits.end_tree(struct.unpack("3i", told)[0])

    def _last_words(self) -> str:
        """What the child said before it could build its walls."""
        self.connection.settimeout(1.0)
        for _ in range(4):
            try:
                message = json.loads(self.connection.recv(1 << 16) or b"{}")
            except (OSError, ValueError):
                return ""
            if "error" in message:
                return str(message["error"]).strip().splitlines()[-1]
        return ""

    def how_it_ended(self) -> Exception:
        self._bury()
        if self.group is not None and self.group.ran_out_of_memory():
            return LimitHit("memory_mb", f"more than {self.confinement.memory_mb} MB of memory")
        if self.spent.exit is None:
            return ChildDied("the process ended")
        if self.spent.exit < 0:
            name = _name_of(-self.spent.exit)
            why = " (processor time used up)" if name == "SIGXCPU" else ""
            return ChildDied(f"the process was ended by {name}{why}")
        return ChildDied(f"the process ended itself with exit code {self.spent.exit}")

    def _bury(self) -> None:
        """Wait for the end of the child, and note what it used in all."""
        self.connection.settimeout(DEATH)
        try:
            while data := self.connection.recv(1 << 16):
                message = json.loads(data)
                if "exit" in message:
                    used, peak = float(message["cpu"]), float(message["peak_mb"])
                    cpu = max(used, self.tree.cpu)
                    self.spent = Spent(cpu, peak, int(message["exit"]))
                    return
        except (OSError, ValueError, KeyError):
            return

    def close(self) -> Spent:
        """The end; SandboxError if something of the child is still there afterwards."""
        if self.closed:
            return self.spent
        self.closed = True
        if self.pidfd >= 0:
            self.kill()
            if self.spent.exit is None:
                self._bury()
            self.survived = not self._all_hung_up()
            os.close(self.pidfd)
            self.pidfd = -1
        self.channel.close()
        self.connection.close()
        if self.group is not None:
            self.group.remove()
        if self.work:
            remove_folder(self.work)
        if self.survived:
            raise SandboxError("processes of a submission could not be ended")
        return self.spent

    def _all_hung_up(self) -> bool:
        """Has every process that inherited the channel closed it, by dying?"""
        deadline = time.monotonic() + DEATH
        while time.monotonic() < deadline:
            try:
                if not self.channel.recv(1 << 20):
                    return True
            except BlockingIOError:
                select.select([self.channel], [], [], WATCH)
            except OSError:
                return True  # reset: whoever was there is gone, and left something unread
        return False


def _name_of(number: int) -> str:
    """The name of a signal; most real-time ones have none."""
    known = {each.value: each.name for each in signal.Signals}
    return known.get(number, f"signal {number}")


def _pid_of(pidfd: int) -> int:
    """The process behind a descriptor, by the number that it has here (another than in its own
    namespace).
    """
    with open(f"/proc/self/fdinfo/{pidfd}") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("Pid:"))
