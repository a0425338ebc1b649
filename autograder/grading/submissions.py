"""Reads what a student handed in: the notebooks of the unit, a few files, a time.

Bounded, and no link is followed.
"""

import hashlib
import json
import os
import stat
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from autograder import outside
from autograder.course import Limits
from autograder.grading.prepare import Template

MAX_NOTEBOOK = 20 << 20  # bytes
MAX_FILES = 200
MAX_ENTRIES = 20_000  # that are looked at
MAX_PATH = 500  # bytes, below the submission's folder
MAX_TIME = 1000  # bytes of timestamp.txt
MAX_NOTES = 20


class Unusable(Exception):
    """There is nothing to grade; the message is the reason."""


@dataclass(frozen=True)
class Submission:
    student: str
    notebooks: tuple[bytes | None, ...]  # as many as the unit has; None: it was not handed in
    files: tuple[tuple[str, bytes], ...]  # beside the notebooks: (relative name, content)
    timestamp: str | None
    notes: tuple[str, ...] = ()

    @property
    def notebook(self) -> bytes:
        """The first one, of a unit that has only one."""
        return self.notebooks[0] or b""

    @property
    def content(self) -> bytes:
        """A digest of all that may reach the student's process."""
        texts = (b"-" if each is None else each for each in self.notebooks)
        return _digest(*texts, *(part for name, text in self.files for part in (name, text)))

    def overlaid(self, files: tuple[tuple[str, bytes], ...]) -> "Submission":
        """With files of the course in the place of those that were handed in under their names."""
        return replace(self, files=tuple((dict(self.files) | dict(files)).items()))


def read_submission(folder: Path, names: tuple[str, ...], student: str, disk_mb: int) -> Submission:
    """Read a submission's folder, with notebooks of these names; raises Unusable."""
    if problem := outside.wrong_with_name(student):
        raise Unusable(f"the folder of this student cannot be graded, {problem}: rename it")
    if folder.is_symlink() or not folder.is_dir():
        raise Unusable("the submission is not a folder")
    notes: list[str] = []
    paths = _walk(folder, notes)
    notebooks = [path for path in paths if path.suffix == ".ipynb" and path.parent == folder]
    found = (
        (_choose(notebooks, names[0], notes),)
        if len(names) == 1
        else _choose_several(notebooks, names, notes)
    )
    timestamp = folder / "timestamp.txt"
    time = _timestamp(timestamp, notes) if timestamp in paths else None
    others = [path for path in paths if path.suffix != ".ipynb" and path != timestamp]
    files = _files(folder, others, names, disk_mb * 2**20 // 2, notes)
    return Submission(student, found, files, time, tuple(outside.lines(notes, MAX_NOTES)))


def seed_for(secret: str, submission: Submission) -> str:
    """The seed of the secret cases: another one for another content.

    Whoever carries the cases of one submission away and hands in a table of them meets new ones.
    """
    return _digest(secret, submission.content).hex()


def fingerprint(
    submission: Submission,
    templates: tuple[Template, ...],
    grader: str,
    seed: str,
    limits: Limits,
    rules: str | None = None,
) -> str:
    """Equal for equal submissions graded in the same way; when one came is no part of it where that
    costs points without any code being run, only where nbgrader's own rules decide."""
    known = [asdict(cell) for template in templates for cell in template.cells]
    cells = json.dumps(known, sort_keys=True)
    how = json.dumps(asdict(limits), sort_keys=True)
    if rules is not None:
        how += rules + str(submission.timestamp)
    secret = _digest(seed)  # a fingerprint is stored, and must not give it away
    return _digest(submission.content, grader, secret, cells, how).hex()


def _digest(*parts: str | bytes) -> bytes:
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def _walk(folder: Path, notes: list[str]) -> list[Path]:
    found: list[Path] = []
    queue, seen = [folder], 0
    while queue and seen < MAX_ENTRIES:
        for entry in sorted(os.scandir(queue.pop()), key=lambda each: each.name):
            seen += 1
            mode = entry.stat(follow_symlinks=False).st_mode
            if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                notes.append(f"{entry.name} is a link or a device and was left out")
            elif entry.name.startswith("."):
                continue
            elif problem := _wrong_with_path(Path(entry.path).relative_to(folder)):
                notes.append(f"{entry.name} was left out: {problem}")
            elif stat.S_ISDIR(mode):
                queue.append(Path(entry.path))
            else:
                found.append(Path(entry.path))
    if queue:
        notes.append(f"only the first {MAX_ENTRIES} files were looked at")
    return found


def _wrong_with_path(path: Path) -> str:
    too_long = len(os.fsencode(path)) > MAX_PATH
    return outside.wrong_with_name(path.name) or ("its path is too long" if too_long else "")


def _choose(notebooks: list[Path], unit: str, notes: list[str]) -> bytes:
    wanted = [path for path in notebooks if path.stem == unit]
    if not wanted and len(notebooks) == 1:
        notes.append(f"the notebook is called {notebooks[0].name!r} instead of {unit + '.ipynb'!r}")
        wanted = notebooks
    elif not wanted and notebooks:
        raise Unusable(
            f"there are {len(notebooks)} notebooks, and none is called {unit + '.ipynb'!r}"
        )
    elif wanted and len(notebooks) > 1:
        notes.append(f"of {len(notebooks)} notebooks only {wanted[0].name!r} was graded")
    if not wanted:
        raise Unusable(
            f"there is no notebook {unit + '.ipynb'!r}"
            + (": it is a link" if any("is a link" in note for note in notes) else "")
        )
    return _content(wanted[0])


def _choose_several(
    notebooks: list[Path], names: tuple[str, ...], notes: list[str]
) -> tuple[bytes | None, ...]:
    """Of a unit with several notebooks, those that were handed in."""
    there = {path.stem: path for path in notebooks}
    if not any(name in there for name in names):
        listed = ", ".join(f"{name}.ipynb" for name in names)
        raise Unusable(f"none of its notebooks is there: {listed}")
    notes += [f"the notebook {name}.ipynb was not handed in" for name in names if name not in there]
    return tuple(_content(there[name]) if name in there else None for name in names)


def _content(path: Path) -> bytes:
    try:
        return outside.read_bounded(path, MAX_NOTEBOOK)
    except outside.TooLarge:
        raise Unusable(f"the notebook is larger than {MAX_NOTEBOOK >> 20} MB") from None


def _files(
    folder: Path, paths: list[Path], names: tuple[str, ...], space: int, notes: list[str]
) -> tuple[tuple[str, bytes], ...]:
    """What else was handed in, as far as there is room; the notebooks' own names stay free."""
    taken = {"timestamp.txt", *(f"{name}.ipynb" for name in names)}
    files: list[tuple[str, bytes]] = []
    for path in paths:
        name = path.relative_to(folder)
        if name.parts[0] in taken:
            notes.append(f"the file {name} was left out: its folder has the name of a file")
            continue
        try:
            if len(files) >= MAX_FILES:
                raise outside.TooLarge
            content = outside.read_bounded(path, space)
        except outside.TooLarge:
            notes.append(f"the file {name} was left out: too large, or too many")
        else:
            space -= len(content)
            files.append((name.as_posix(), content))
    return tuple(files)


def _timestamp(path: Path, notes: list[str]) -> str | None:
    from nbgrader.utils import parse_utc

    try:
        text = outside.read_bounded(path, MAX_TIME).decode("utf-8").strip()[:100]
        return f"{parse_utc(text).isoformat(sep=' ')} UTC" if text else None
    except (ValueError, OverflowError, AttributeError, TypeError, outside.TooLarge):
        notes.append("timestamp.txt holds no time; the submission counts as in time")
        return None
