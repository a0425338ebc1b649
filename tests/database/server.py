"""A real PostgreSQL server for tests, which may also go wrong."""

import contextlib
import signal
from collections.abc import Iterator

from tools import postgres
from tools.postgres import PASSWORD as PASSWORD
from tools.postgres import USER as USER
from tools.postgres import program as program


class Server(postgres.Server):
    """Stopped without goodbye by `crash`; its data need not outlive the machine."""

    def __init__(self, encoding: str = "UTF8") -> None:
        super().__init__(encoding, fsync="off")

    def crash(self) -> None:
        self.stop(signal.SIGQUIT)

    def cut(self) -> None:
        """End all connections of the grader, whatever they are doing."""
        self.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{USER}'")


@contextlib.contextmanager
def running(encoding: str = "UTF8") -> Iterator[Server]:
    server = Server(encoding)
    try:
        yield server
    finally:
        server.close()
