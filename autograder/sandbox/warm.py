"""The trusted side's hold on a warm process (server.py): starts it, waits for it, ends it."""

import atexit
import contextlib
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from autograder.sandbox import cgroups
from autograder.sandbox.orders import ENVIRONMENT, START, SandboxError

SHELL = (  # what every notebook needs
    *("IPython", "IPython.core.ultratb", "IPython.core.completerlib", "IPython.core.magics"),
    *("sqlite3", "asyncio", "inspect", "sysconfig", "threading", "linecache", "html", "textwrap"),
    *("math", "random", "dataclasses", "typing", "base64", "io"),
)
PACKAGES = {  # what is used of a package besides itself
    "torch": ("torch.nn", "torch.nn.functional", "torch.optim", "torch.utils.data"),
    "numpy": ("numpy.random", "numpy.linalg", "numpy.testing"),
    "pandas": ("pandas.testing",),
    "matplotlib": (
        *("matplotlib.pyplot", "matplotlib_inline.backend_inline"),
        "matplotlib.backends.backend_agg",
    ),
}
OWN = ("torch", "numpy")  # of the course of this package


def modules(names: tuple[str, ...] = OWN) -> tuple[str, ...]:
    """What the warm process imports once, for notebooks that use these modules."""
    needed = [part for name in names for part in (name, *PACKAGES.get(name, ()))]
    return (*dict.fromkeys(needed), *SHELL)


MODULES = modules()
DRAWING = ("matplotlib", *PACKAGES["matplotlib"])  # where notebooks draw
TRAINING = ("torch._dynamo",)  # imported by torch at the first optimiser, for seconds


class Warm:
    """A running warm process; as a context manager it ends with the block."""

    def __init__(self, level: int, modules: tuple[str, ...] = MODULES) -> None:
        self.level, self.modules = level, modules
        self.folder = tempfile.mkdtemp(prefix="sandbox-")
        os.chmod(self.folder, 0o711 if level < 3 else 0o700)
        os.mkdir(f"{self.folder}/root")
        cgroups.forget_old()
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "autograder.sandbox.server", self.folder, str(level), *modules],
            bufsize=0,  # a word that was read ahead would be waited for
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            cwd="/",
            env=self._environment(),
            start_new_session=True,
        )

    def _environment(self) -> dict[str, str]:
        threads = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")  # a pool at the fork hangs children
        return {
            **{name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
            **{f"{name}_NUM_THREADS": "1" for name in threads},
            "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": self.folder,
            "MPLBACKEND": "module://matplotlib_inline.backend_inline",
            "MALLOC_ARENA_MAX": "2",  # address space is limited
            "NBGRADER_EXECUTION": "autograde",  # as nbgrader sets it
            "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", _font_cache()),
        }

    def wait(self, view: str = "-", further: tuple[str, ...] = ()) -> None:
        """Until it is ready, with the view's neutral part imported; further modules follow.

        SandboxError if it will never be.
        """
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it may be dead already: its last words are read below
            self.process.stdin.write(" ".join((view, *further)).encode() + b"\n")
            self.process.stdin.flush()
        self._hear(b"ready\n")

    def wait_until_warm(self) -> None:
        """Until everything is imported; its walls may have been attacked meanwhile."""
        self._hear(b"warm\n")

    def _hear(self, word: bytes) -> None:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], START)
        if not ready or self.process.stdout.readline() != word:
            self.log.seek(0)
            text = self.log.read().decode("utf-8", "replace").strip()
            self.close()
            late = f"the warm process was not ready after {START:g} s"
            raise SandboxError(text.splitlines()[-1] if text else late)

    @property
    def address(self) -> str:
        return f"{self.folder}/socket"

    def close(self) -> None:
        """End the warm process and with it every child."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> "Warm":
        self.wait()
        self.wait_until_warm()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_early: list[Warm] = []


def start_early(level: int = 3, modules: tuple[str, ...] = MODULES) -> None:
    """Start a warm process now that will be wanted soon: it imports while the caller does so
    itself.
    """
    if sys.platform.startswith("linux") and not _early:
        _early.append(Warm(level, modules))
        atexit.register(close_early)


def close_early() -> None:
    while _early:
        _early.pop().close()


def take(level: int, modules: tuple[str, ...] = MODULES) -> Warm:
    """The warm process that was started early, if it fits; else a new one."""
    if _early and (_early[0].level, _early[0].modules) == (level, modules):
        return _early.pop()
    close_early()
    return Warm(level, modules)


def _font_cache() -> str:
    """matplotlib's cache, shared by all runs: building it costs seconds."""
    return str(Path.home() / ".config" / "matplotlib")
