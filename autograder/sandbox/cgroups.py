"""Control groups, where this user may make some: they count and end a child with all that it
starts.

Nothing is promised because of them: whether a limit binds is tried, as everywhere.
"""

import contextlib
import glob
import os
import secrets
import time
from collections.abc import Iterator

from autograder.sandbox.confinement import Confinement


class Group:
    """The groups of one child: one folder per hierarchy (version 2, and `pids` of version 1)."""

    def __init__(self, folders: list[str]) -> None:
        self.folders = folders

    def limit(self, confinement: Confinement) -> None:
        """Set what the kernel offers here; a controller that is not there is not used."""
        written = confinement.disk_mb * 3  # files of the child's own root are memory as well
        self._write("pids.max", str(confinement.processes))
        self._write("memory.max", str((confinement.memory_mb + written) << 20))
        self._write("memory.swap.max", "0")

    def kill(self) -> None:
        """End all processes at once: none can fork in between."""
        self._write("cgroup.kill", "1")

    def cpu(self) -> float:
        """Processor time of all, also of those that are gone."""
        for line in self._lines("cpu.stat"):
            if line.startswith("usage_usec "):
                return int(line.split()[1]) / 1e6
        return 0.0

    def ran_out_of_memory(self) -> bool:
        return any(
            line.startswith("oom_kill ") and line.split()[1] != "0"
            for line in self._lines("memory.events")
        )

    def remove(self) -> None:
        """Remove the folders, which works as soon as all processes are gone."""
        for folder in self.folders:
            for _ in range(200):  # two seconds
                try:
                    os.rmdir(folder)
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
                else:
                    break

    def _write(self, name: str, text: str) -> None:
        for folder in self.folders:
            with contextlib.suppress(OSError), open(f"{folder}/{name}", "w") as file:
                file.write(text)

    def _lines(self, name: str) -> Iterator[str]:
        for folder in self.folders:
            with contextlib.suppress(OSError), open(f"{folder}/{name}") as file:
                yield from file


def make(confinement: Confinement) -> Group | None:
    """A new group with the limits of a confinement; None where this user may not make any."""
    name = f"autograder-{os.getpid()}-{secrets.token_hex(4)}"
    folders = []
    for places in hierarchies():
        for place in places:
            with contextlib.suppress(OSError):
                os.mkdir(f"{place}/{name}")
                folders.append(f"{place}/{name}")
                break
    if not folders:
        return None
    group = Group(folders)
    group.limit(confinement)
    return group


def forget_old(seconds: float = 3600.0) -> None:
    """Remove groups of graders that were killed; only an empty one can be removed."""
    for places in hierarchies():
        for place in places:
            for folder in glob.glob(f"{place}/autograder-*"):
                with contextlib.suppress(OSError):
                    if time.time() - os.stat(folder).st_mtime > seconds:
                        os.rmdir(folder)


def hierarchies() -> list[list[str]]:
    """Where groups can be made, per hierarchy: inside our own group or at the top, the better one
    first.
    """
    try:
        with open("/proc/self/cgroup") as file:
            own = {names: path for _, names, path in (line.strip().split(":", 2) for line in file)}
        with open("/proc/self/mounts") as file:
            mounts = [line.split()[1:4] for line in file if " cgroup" in line]
    except OSError:
        return []
    found = []
    for folder, kind, options in mounts:
        if kind == "cgroup2" or (kind == "cgroup" and "pids" in options.split(",")):
            path = own.get("" if kind == "cgroup2" else "pids", "/").rstrip("/")
            places = [f"{folder}{path}", folder] if path else [folder]
            found.append(sorted(places, key=_controllers, reverse=True))
    return found


def _controllers(folder: str) -> int:
    """How many controllers a new group in this folder would have."""
    with contextlib.suppress(OSError), open(f"{folder}/cgroup.subtree_control") as file:
        return len({"pids", "memory"} & set(file.read().split()))
    return 0


def join(folders: tuple[str, ...]) -> None:
    """Put this process into a group, with everything that it will start."""
    for folder in folders:
        with open(f"{folder}/cgroup.procs", "w") as file:
            file.write("0")
