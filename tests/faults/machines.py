"""A cluster of real processes on this machine, started by the scripts that an instructor uses."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import dask
import psutil

from autograder.course import SOURCE_TREE
from autograder.errors import UserError
from autograder.grading.cluster import Cluster
from tools import ports

RUN = str(SOURCE_TREE / "cluster" / "run.sh")


class Machines:
    """A scheduler and workers; whatever is left of them at the end is killed."""

    def __init__(self, keys: Path, folder: Path, environment: dict[str, str]) -> None:
        self.keys, self.folder = keys, folder
        self.environment = environment | {"DASK": str(Path(sys.executable).parent / "dask")}
        self.started: list[subprocess.Popen[bytes]] = []
        self.port = ports.free()
        self.address = f"tls://127.0.0.1:{self.port}"

    def scheduler(self) -> "subprocess.Popen[bytes]":
        return self._run("scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def worker(self, *before: str, **variables: str) -> "subprocess.Popen[bytes]":
        """A worker; `before` is put before the command, to take something away from it."""
        return self._run(
            "worker",
            self.address,
            "--host",
            "127.0.0.1",
            "--local-directory",
            str(self.folder),
            before=before,
            **variables,
        )

    def _run(
        self, role: str, *arguments: str, before: tuple[str, ...] = (), **variables: str
    ) -> "subprocess.Popen[bytes]":
        with open(self.folder / f"{role}.log", "ab") as log:
            command = [*before, RUN, role, str(self.keys / role), *arguments]
            process = subprocess.Popen(
                command, env=self.environment | variables, stdout=log, stderr=log
            )
        self.started.append(process)
        return process

    def cluster(self, say: Any = lambda line: None, workers: int = 0) -> Cluster:
        """The cluster as this process sees it, once so many workers have come."""
        mine, prefix = self.keys / "client", "distributed.comm.tls"
        dask.config.set(
            {
                f"{prefix}.ca-file": str(mine / "ca.pem"),
                f"{prefix}.client.cert": str(mine / "cert.pem"),
                f"{prefix}.client.key": str(mine / "key.pem"),
            }
        )
        for _ in range(600):  # until the scheduler listens
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self.port), timeout=1),
            ):
                break
            time.sleep(0.2)
        cluster = self._connected(say)
        while len(cluster.look()) < workers:
            assert all(each.poll() is None for each in self.started), self.logs()
            time.sleep(0.2)
        return cluster

    def _connected(self, say: Any, tries: int = 12) -> Cluster:
        """A busy machine may not be done with the greeting in the time that there is for one."""
        for _ in range(tries - 1):
            with contextlib.suppress(UserError):
                return Cluster(self.address, say)
        return Cluster(self.address, say)

    def logs(self) -> str:
        return "\n".join(
            path.read_text(errors="replace")[-3000:] for path in self.folder.glob("*.log")
        )

    def __enter__(self) -> "Machines":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            print(self.logs())
        for process in self.started:
            kill(process.pid)
            process.wait()


def descendants(pid: int, *words: str) -> list[psutil.Process]:
    """Processes below this one whose command line has these words."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        try:
            if all(word in " ".join(process.cmdline()) for word in words):
                found.append(process)
        except psutil.Error:
            continue
    return found


def kill(pid: int) -> None:
    """A process and everything below it, without goodbye."""
    try:
        whole = [*psutil.Process(pid).children(recursive=True), psutil.Process(pid)]
    except psutil.Error:
        return
    for process in whole:
        try:
            os.kill(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
