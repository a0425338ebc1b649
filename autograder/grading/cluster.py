"""A Dask cluster as a pool.

The only file that knows Dask, imported only when a cluster is asked for.

Beside each worker of the cluster stands a grading process of its own with its own warm process
and walls. It needs neither the gradebook nor a shared file system: a request holds everything. If
it dies, the cluster's worker lives and says so.
"""

import contextlib
import ipaddress
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from urllib.parse import urlsplit

try:
    from distributed import Client, Future, KilledWorker, Security, get_worker
    from distributed.client import ClosedClientError
except ImportError as error:
    from autograder.errors import UserError

    raise UserError(
        f"a cluster needs Dask, which is not installed here ({error}): pip install "
        "'attention-course[cluster]'"
    ) from None

from autograder.errors import UserError
from autograder.grading.pool import Lost, Refused, Worker, fresh

PATIENCE = 300.0  # seconds that the scheduler may be away, or every worker
LOOK = 1.0  # seconds for which what is known about the workers is good
RESENT = 20  # times that a job may be lost with the scheduler, which is not its fault
GONE = (CancelledError, ClosedClientError, OSError, TimeoutError)  # the scheduler, or the way to it

_idle: "queue.SimpleQueue[Worker]" = (
    queue.SimpleQueue()
)  # on a worker of the cluster: grading processes without a job


def grade_here(request: bytes, seconds: float) -> tuple[str, str, bytes]:
    """On a worker of the cluster.

    What came of a request, who says so, and the answer or the reason why there is none.
    """
    me = get_worker().address
    try:
        grader = _idle.get_nowait()
    except queue.Empty:
        grader = fresh()
    try:
        answer = grader.carry(request, seconds)
    except Lost as lost:
        return "lost", me, f"{lost}, on {me}".encode()
    except Refused as refused:
        grader.kill()
        return "refused", me, str(refused).encode()
    _idle.put(grader)
    return "done", me, answer


class Cluster:
    """The workers behind a scheduler, seen from the coordinator.

    A scheduler that comes back is found again.
    """

    def __init__(
        self,
        address: str,
        say: Callable[[str], None] = lambda line: None,
        patience: float = PATIENCE,
        work: Callable[[bytes, float], tuple[str, str, bytes]] = grade_here,
    ) -> None:
        self.address, self.say, self.patience, self.work = address, say, patience, work
        check_address(address)
        self.refused: dict[str, str] = {}  # worker -> why
        self.lock = threading.RLock()
        self.threads: dict[str, int] = {}
        self.looked = 0.0
        self.closed = False
        self.client = self._connect(10.0)
        self.look()
        say(
            f"cluster {address}: {len(self.threads)} workers, {sum(self.threads.values())} "
            "submissions at a time"
        )

    def _connect(self, seconds: float) -> Client:
        try:
            return Client(
                self.address,
                security=_security(self.address),
                timeout=seconds,
                set_as_default=False,
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise UserError(
                f"there is no scheduler that lets us in at {self.address}: {_first_line(error)}"
            ) from None

    @property
    def size(self) -> int:
        """How many jobs the workers that may grade take at a time; workers may come and go."""
        with contextlib.suppress(*GONE):
            self.look()
        return max(
            1, sum(count for worker, count in self.threads.items() if worker not in self.refused)
        )

    def look(self) -> list[str]:
        """The workers that may grade, as they were a moment ago."""
        with self.lock:
            if time.monotonic() - self.looked > LOOK:
                self.threads = dict(self.client.nthreads())
                self.looked = time.monotonic()
            return [worker for worker in self.threads if worker not in self.refused]

    def carry(self, request: bytes, seconds: float) -> bytes:
        for _ in range(RESENT):
            client = self._living()
            allowed = self._somebody()
            try:
                future = client.submit(
                    self.work,
                    request,
                    seconds,
                    pure=False,
                    workers=allowed if self.refused else None,
                )
                kind, who, answer = self._result(future, seconds)
            except KilledWorker as killed:
                raise Lost(
                    f"the cluster lost every worker that had it, the last one {_last(killed)}"
                ) from None
            except GONE:
                continue  # the scheduler went, and what it had to do with it
            if kind == "done":
                return answer
            if kind == "lost":
                raise Lost(answer.decode())
            self._refuse(who, answer.decode())
        raise Lost("the scheduler went away again and again")

    def _result(
        self, future: "Future[tuple[str, str, bytes]]", seconds: float
    ) -> tuple[str, str, bytes]:
        """Wait for a result; Lost if none comes in a time in which two tries would have ended."""
        deadline = time.monotonic() + 3 * seconds
        while True:
            if future.done():  # also when it was cancelled, which raises below
                return future.result(timeout=30)
            with contextlib.suppress(TimeoutError):
                return future.result(timeout=5)
            if future.done():
                continue
            self._somebody()
            if self.closed or time.monotonic() > deadline:
                with contextlib.suppress(*GONE):
                    future.cancel(force=True)
                raise Lost(
                    "the cluster gave no answer in time" if not self.closed else "the run has ended"
                )

    def _living(self) -> Client:
        """A client with a connection.

        If there is none, wait for the scheduler as long as patience lasts.
        """
        with self.lock:
            began, told = time.monotonic(), False
            while self.client.status != "running":
                if self.closed:
                    raise Lost("the run has ended")
                if not told:
                    self.say(
                        f"the scheduler at {self.address} does not answer: waiting up to "
                        f"{self.patience:.0f} s"
                    )
                    told = True
                if self.client.status == "closed":
                    with contextlib.suppress(UserError):
                        self.client = self._connect(2.0)
                        continue
                if time.monotonic() - began > self.patience:
                    raise UserError(
                        f"the scheduler at {self.address} has been away for {self.patience:.0f} s. "
                        "What is recorded stays recorded; give the same command again when it is "
                        "back"
                    )
                time.sleep(0.2)
            if told:
                self.say("the scheduler is back")
            return self.client

    def _somebody(self) -> list[str]:
        """The workers that may grade.

        Waits for one as long as patience lasts, unless all there are refuse.
        """
        began, told = time.monotonic(), False
        while True:
            try:
                if allowed := self.look():
                    return allowed
            except GONE:
                self._living()
            if self.closed:
                raise Lost("the run has ended")
            if self.refused and set(self.threads) <= set(self.refused) and self.threads:
                raise UserError(
                    "no worker of the cluster may grade: "
                    + "; ".join(f"{who}: {why}" for who, why in self.refused.items())
                )
            if time.monotonic() - began > self.patience:
                raise UserError(
                    f"the cluster at {self.address} has had no worker for {self.patience:.0f} s: "
                    "start some, then go on"
                )
            if not told:
                self.say(f"the cluster has no worker: waiting up to {self.patience:.0f} s for one")
                told = True
            time.sleep(LOOK)

    def _refuse(self, worker: str, why: str) -> None:
        with self.lock:
            if worker not in self.refused:
                self.refused[worker] = why
                self.say(f"worker {worker} refuses, the others go on: {why}")

    def close(self) -> None:
        self.closed = True
        with contextlib.suppress(*GONE):
            self.client.close(timeout=5)


def check_address(address: str) -> None:
    """Whoever reaches an open scheduler runs code on its workers.

    Without TLS only this machine may be meant.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("tls", "tcp") or not parts.hostname:
        raise UserError(
            f"{address!r} is not the address of a scheduler: it looks like tls://HOST:8786"
        )
    if parts.scheme == "tcp" and not _is_here(parts.hostname):
        raise UserError(
            f"{address} is not encrypted: whoever can listen reads the secret seed, and whoever "
            "can connect runs code on the workers. "
            "Use tls:// (docs/scale.md shows how), or tcp:// on this machine only"
        )


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _security(address: str) -> Security | None:
    """The keys that Dask's own configuration names (DASK_CONFIG).

    Required if the address says tls.
    """
    if not address.startswith("tls:"):
        return None
    security = Security(require_encryption=True)
    keys = security.get_tls_config_for_role("client")
    if not (keys["ca_file"] and keys["cert"] and keys["key"]):
        raise UserError(
            "tls:// needs a certificate: set DASK_CONFIG to a file that names "
            "distributed.comm.tls.ca-file and .client.cert and .key "
            "(cluster/certificates.sh makes the keys, and with them `cluster/run.sh client KEYS "
            "autograder grade ...` sets all of it)"
        )
    return security


def _last(killed: KilledWorker) -> str:
    return str(getattr(killed.last_worker, "address", killed.last_worker))


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
