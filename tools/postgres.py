"""A PostgreSQL server of one's own, for benchmarks and tests: on a free port, in a folder of its
own, as an ordinary user.

pytest-postgresql cannot start one where the tests run as root, as they do in most containers, and
testing.postgresql is no longer kept.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

from autograder.files import find_program
from tools import ports

NOBODY = 65534
USER, PASSWORD = "grader", "p@ss/w:rd %41#é"  # nothing in it may be taken for a part of the address
ADMIN, ADMIN_PASSWORD = "postgres", "admin-secret"


def program(name: str) -> str | None:
    """One of PostgreSQL's programs, of the newest version here."""
    hidden = sorted(
        Path("/usr/lib/postgresql").glob(f"*/bin/{name}"),
        key=lambda path: float(path.parents[1].name),
    )
    return str(hidden[-1]) if hidden else find_program(name)


def can_start() -> bool:
    """Whether what a server needs is installed."""
    return bool(program("initdb") and shutil.which("setpriv"))


class Server:
    """Started by `start`, stopped by `stop`, removed by `close`; it also ends if whoever started it
    is killed.
    """

    def __init__(self, encoding: str = "UTF8", **settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self.process: subprocess.Popen[bytes] | None = None
        self.parent = ThreadPoolExecutor(
            1
        )  # a server ends with the thread that started it, so that one has to stay
        self.port = ports.free()
        own = {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
        }
        self.settings = own | settings
        secret = self.folder / "password"
        secret.write_text(ADMIN_PASSWORD)
        if os.geteuid() == 0:
            for path in (self.folder, secret):
                os.chown(path, NOBODY, NOBODY)
        made = [
            "--pgdata",
            "data",
            "--username",
            ADMIN,
            "--pwfile",
            "password",
            "--auth",
            "scram-sha-256",
            "--encoding",
            encoding,
        ]
        self._run("initdb", *made, "--locale", "C", "--no-sync").wait()
        self.start()
        self.sql(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")

    def _run(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        ordinary = (
            ["--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]
            if os.geteuid() == 0
            else []
        )
        command = ["setpriv", *ordinary, "--pdeathsig", "INT", "--", str(program(name)), *arguments]
        with open(self.folder / f"{name}.log", "ab") as log:
            return self.parent.submit(
                subprocess.Popen, command, cwd=self.folder, stdout=log, stderr=log
            ).result()

    def start(self) -> None:
        import psycopg2

        self.process = self._run(
            "postgres",
            "-D",
            "data",
            *(part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")),
        )
        for _ in range(1800):
            with contextlib.suppress(psycopg2.OperationalError):
                return self.sql("SELECT 1")
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(
            f"PostgreSQL did not start:\n{(self.folder / 'postgres.log').read_text()}"
        )

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Roll back what is under way, say goodbye, end."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None

    def close(self) -> None:
        self.stop(signal.SIGQUIT)
        self.parent.shutdown()
        shutil.rmtree(self.folder)

    def sql(self, *statements: str, database: str = "postgres") -> None:
        """Run statements as the administrator, each on its own."""
        import psycopg2

        connection = psycopg2.connect(
            host="127.0.0.1", port=self.port, user=ADMIN, password=ADMIN_PASSWORD, dbname=database
        )
        connection.autocommit = True
        with contextlib.closing(connection), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def database(self, name: str, template: str = "template0") -> str:
        """The address of a new database, empty or a copy."""
        self.sql(
            f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)',
            f'CREATE DATABASE "{name}" OWNER {USER} TEMPLATE {template}',
        )
        return self.url(name)

    def url(self, name: str, user: str = USER, password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{quote(password, safe='')}@127.0.0.1:{self.port}/{name}"
