"""Runs code as an ordinary user, also where only root can reach Python or the checkout.

Where those are in a private home, a mount namespace of its own shows them to everybody for the time
of the test; nothing on the machine is changed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.matrix import surroundings

NOBODY = surroundings.ordinary_user()


def possible() -> bool:
    return os.geteuid() == 0 and all(shutil.which(name) for name in ("unshare", "mount"))


def run(code: str, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """`python -c code arguments` as nobody."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": "/tmp",
        "OMP_NUM_THREADS": "1",
        "MPLCONFIGDIR": f"/tmp/mpl-{NOBODY}",
        "PYTHONPATH": str(surroundings.SOURCE_TREE),
    }
    command = [sys.executable, "-m", "tests.autograder.sandbox.ordinary", str(NOBODY)]
    with tempfile.TemporaryDirectory(prefix="kept-") as folder:
        return subprocess.run(
            ["unshare", "--mount", *command, folder, code, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd="/",
            check=False,
            timeout=timeout,
        )


def enter(uid: int, folder: str, command: list[str]) -> None:
    """In the namespace, still as root: show Python to everybody, then be an ordinary user."""
    if surroundings.private_homes([Path(sys.base_prefix), surroundings.SOURCE_TREE]):
        surroundings.place_python(0, 0o755, folder)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    os.execv(sys.executable, command)


if __name__ == "__main__":
    enter(int(sys.argv[1]), sys.argv[2], [sys.executable, "-c", *sys.argv[3:]])
