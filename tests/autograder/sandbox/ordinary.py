"""Runs a function as an ordinary user on a machine where only root can reach Python.

Where Python lives in root's private home, a mount namespace of its own shows it to everybody for the time of the test;
nothing on the machine is changed.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

NOBODY = 65534


def possible() -> bool:
    return os.geteuid() == 0 and all(shutil.which(name) for name in ("unshare", "setpriv", "mount"))


def run(code: str, *arguments: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    """`python -c code arguments` as nobody."""
    base = Path(sys.base_prefix)
    private = next((folder for folder in reversed(base.parents) if not folder.stat().st_mode & 0o001), None)
    script = []
    if private is not None:
        script = [
            "keep=$(mktemp -d)",
            f"mount --bind {shlex.quote(str(base))} $keep",
            f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(private))}",
            f"mkdir -p {shlex.quote(str(base))}",
            f"mount --bind $keep {shlex.quote(str(base))}",
        ]
    command = shlex.join([sys.executable, "-c", code, *arguments])
    script.append(f"exec setpriv --reuid {NOBODY} --regid {NOBODY} --clear-groups -- {command}")
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": "/tmp",
        "OMP_NUM_THREADS": "1",
        "MPLCONFIGDIR": "/tmp/mpl-nobody",
    }
    return subprocess.run(
        ["unshare", "--mount", "sh", "-ec", "\n".join(script)],
        capture_output=True,
        text=True,
        env=environment,
        cwd="/",
        check=False,
        timeout=timeout,
    )
