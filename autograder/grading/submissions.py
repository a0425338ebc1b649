"""Finds what a student handed in: one notebook, a few files, a time; says in words what is wrong with the rest."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

MAX_NOTEBOOK = 20 << 20  # bytes
MAX_FILES = 200


class Unusable(Exception):
    """There is nothing to grade; the message is the reason."""


@dataclass(frozen=True)
class Submission:
    student: str
    notebook: bytes
    files: tuple[tuple[str, bytes], ...]  # beside the notebook: (relative name, content)
    timestamp: str | None
    notes: tuple[str, ...] = ()


def collect(folder: Path, unit: str, student: str, disk_mb: int) -> Submission:
    """Read a submission's folder without following any link; raises Unusable."""
    if folder.is_symlink() or not folder.is_dir():
        raise Unusable("the submission is not a folder")
    notes: list[str] = []
    notebooks: list[Path] = []
    others: list[Path] = []
    for path in _walk(folder, notes):
        (notebooks if path.suffix == ".ipynb" and path.parent == folder else others).append(path)
    chosen = _choose(notebooks, unit, notes)
    files: list[tuple[str, bytes]] = []
    timestamp, space = None, disk_mb * 2**20 // 2
    for path in others:
        if path == folder / "timestamp.txt":
            timestamp = _timestamp(path, notes)
        elif path.suffix != ".ipynb" and path.stat().st_size <= space and len(files) < MAX_FILES:
            content = path.read_bytes()
            space -= len(content)
            files.append((str(path.relative_to(folder)), content))
        elif path.suffix != ".ipynb":
            notes.append(f"the file {path.relative_to(folder)} was left out: too large, or too many")
    return Submission(student, chosen, tuple(files), timestamp, tuple(notes))


def _walk(folder: Path, notes: list[str]) -> list[Path]:
    found: list[Path] = []
    queue = [folder]
    while queue and len(found) < 10 * MAX_FILES:
        for entry in sorted(os.scandir(queue.pop()), key=lambda each: each.name):
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode) and not entry.name.startswith("."):
                queue.append(Path(entry.path))
            elif stat.S_ISREG(mode) and not entry.name.startswith("."):
                found.append(Path(entry.path))
            elif not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                notes.append(f"{entry.name} is a link or a device and was left out")
    return found


def _choose(notebooks: list[Path], unit: str, notes: list[str]) -> bytes:
    wanted = [path for path in notebooks if path.stem == unit]
    if not wanted and len(notebooks) == 1:
        notes.append(f"the notebook is called {notebooks[0].name!r} instead of {unit + '.ipynb'!r}")
        wanted = notebooks
    elif not wanted and notebooks:
        raise Unusable(f"there are {len(notebooks)} notebooks, and none is called {unit + '.ipynb'!r}")
    elif wanted and len(notebooks) > 1:
        notes.append(f"of {len(notebooks)} notebooks only {wanted[0].name!r} was graded")
    if not wanted:
        raise Unusable(
            f"there is no notebook {unit + '.ipynb'!r}" + (": it is a link" if any("is a link" in note for note in notes) else "")
        )
    if wanted[0].stat().st_size > MAX_NOTEBOOK:
        raise Unusable(f"the notebook is larger than {MAX_NOTEBOOK >> 20} MB")
    return wanted[0].read_bytes()


def _timestamp(path: Path, notes: list[str]) -> str | None:
    from nbgrader.utils import parse_utc

    try:
        text = path.read_text(encoding="utf-8").strip()[:100]
        return parse_utc(text).strftime("%Y-%m-%d %H:%M:%S UTC") if text else None
    except (ValueError, OverflowError, AttributeError, TypeError):
        notes.append("timestamp.txt holds no time; the submission counts as in time")
        return None
