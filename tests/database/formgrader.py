"""nbgrader's formgrader as an instructor starts it, spoken to over HTTP."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

from autograder.course import SOURCE_TREE, Course
from tools import ports

TOKEN = "formgrader-test"


class Formgrader:
    """`jupyter server` in the course's folder, as a context manager."""

    def __init__(self, course: Course, **variables: str) -> None:
        self.port = ports.free()
        self.log = Path(f"{course.root}.formgrader.log")
        options = {
            "port": self.port,
            "ip": "127.0.0.1",
            "open_browser": False,
            "allow_root": True,
            "port_retries": 0,
        }
        command = [
            sys.executable,
            "-m",
            "jupyter",
            "server",
            *(f"--ServerApp.{name}={value}" for name, value in options.items()),
        ]
        command += [f"--IdentityProvider.token={TOKEN}"]
        environment = os.environ | {"PYTHONPATH": str(SOURCE_TREE)} | variables
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, cwd=course.root, env=environment, stdout=log, stderr=log
            )

    def __enter__(self) -> "Formgrader":
        for _ in range(1800):
            try:
                self.page("api/status")
            except urllib.error.URLError:
                assert self.process.poll() is None, self.log.read_text()
                time.sleep(0.1)
            else:
                return self
        raise AssertionError(self.log.read_text())

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def page(self, path: str, data: dict[str, Any] | None = None) -> str:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/formgrader/{path}",
            data=None if data is None else json.dumps(data).encode(),
            method="GET" if data is None else "PUT",
            headers={"Authorization": f"token {TOKEN}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=180) as answer:
            return str(answer.read().decode())

    def api(self, path: str, data: dict[str, Any] | None = None) -> Any:
        return json.loads(self.page(f"api/{path}", data))
