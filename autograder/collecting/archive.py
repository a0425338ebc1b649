"""Reads a zip file or a folder without trusting it: nothing is unpacked, no link is followed,
nothing is read beyond its limit.

What a platform named is one level (`entries`), what a student packed is another (`opened`): whose
a file is and when it came is decided by the first alone.
"""

import io
import os
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from autograder import outside
from autograder.errors import UserError

MAX_FILE = 20 << 20  # bytes of one file
MAX_RATIO = 300  # of a compressed file: a notebook full of figures reaches 10
MAX_ENTRIES = 200_000  # of a delivery
MAX_PACKED = 300  # files in a zip that a student handed in
MAX_PACKED_BYTES = 64 << 20  # of all of them together
HIDDEN = ("__MACOSX", "Thumbs.db", "desktop.ini")
FAILURES = (OSError, ValueError, RuntimeError, NotImplementedError, zipfile.BadZipFile, EOFError)


@dataclass(frozen=True)
class Entry:
    """A file that was delivered; `refused` says why it must not be read."""

    parts: tuple[str, ...]
    size: int
    time: datetime | None  # of a zip's entry: without a zone
    read: Callable[[], bytes]
    refused: str = ""

    @property
    def name(self) -> str:
        return self.parts[-1]

    def called(self, parts: tuple[str, ...]) -> "Entry":
        """The same file by another name."""
        return replace(self, parts=parts)


def entries(source: Path) -> list[Entry]:
    """All files of a zip or folder but the hidden ones; zips inside are files like any other."""
    if source.is_dir():
        return list(_folder(source))
    if source.is_file() and zipfile.is_zipfile(source):
        try:
            archive = zipfile.ZipFile(source)
        except FAILURES as error:
            raise UserError(f"the zip file {source} cannot be read: {error}") from None
        if len(archive.infolist()) > MAX_ENTRIES:
            raise UserError(f"{source} holds more than {MAX_ENTRIES} files")
        return list(_zip(archive))
    if source.exists():
        raise UserError(f"{source} is neither a folder nor a zip file")
    raise UserError(f"there is no {source}")


def opened(entry: Entry) -> Iterator[Entry]:
    """The files in a zip that a student handed in, or the one file that it is.

    They bear the time of the zip itself: the times inside are the student's own word.
    """
    if not entry.name.lower().endswith(".zip") or entry.refused:
        yield entry
        return
    try:
        inside = list(_zip(zipfile.ZipFile(io.BytesIO(entry.read()))))
    except FAILURES:
        yield replace(entry, refused="it is a zip file that cannot be read")
        return
    seen: set[tuple[str, ...]] = set()
    space, left_out = MAX_PACKED_BYTES, 0
    for each in inside:
        if each.parts in seen or len(seen) >= MAX_PACKED or each.size > space:
            left_out += 1
            continue
        seen.add(each.parts)
        space -= each.size
        yield replace(each, parts=(*entry.parts[:-1], *each.parts), time=entry.time)
    if left_out:
        reason = f"{left_out} of its files are too many, too large or there twice"
        yield replace(entry, refused=reason)


def _hidden(parts: tuple[str, ...]) -> bool:
    return any((part.startswith(".") and part != "..") or part in HIDDEN for part in parts)


def _folder(source: Path) -> Iterator[Entry]:
    queue, seen = [source], 0
    while queue:
        for item in sorted(os.scandir(queue.pop()), key=lambda each: each.name):
            path = Path(item.path)
            parts = tuple(clean(part) or "_" for part in path.relative_to(source).parts)
            status = item.stat(follow_symlinks=False)
            seen += 1
            if seen > MAX_ENTRIES:
                raise UserError(f"{source} holds more than {MAX_ENTRIES} files")
            if _hidden(parts):
                continue
            time = datetime.fromtimestamp(status.st_mtime).astimezone()
            if stat.S_ISDIR(status.st_mode):
                queue.append(path)
            elif not stat.S_ISREG(status.st_mode):
                yield Entry(parts, 0, time, bytes, "it is a link or a device")
            else:
                read = partial(_file, path)
                yield Entry(parts, status.st_size, time, read, _too_large(status.st_size))


def _file(path: Path) -> bytes:
    try:
        return outside.read_bounded(path, MAX_FILE)
    except outside.TooLarge:
        raise ValueError(_too_large(MAX_FILE + 1)) from None


def _zip(archive: zipfile.ZipFile) -> Iterator[Entry]:
    for info in archive.infolist():
        path = info.filename.replace("\\", "/")
        parts = tuple(clean(part) or "_" for part in path.split("/") if part not in ("", "."))
        if info.is_dir() or not parts or _hidden(parts):
            continue
        try:
            time: datetime | None = datetime(*info.date_time)
        except ValueError:
            time = None
        refused = _refusal(info, path, parts)
        yield Entry(parts, info.file_size, time, partial(_packed, archive, info), refused)


def _refusal(info: zipfile.ZipInfo, path: str, parts: tuple[str, ...]) -> str:
    if ".." in parts or path.startswith("/") or path[1:2] == ":":
        return "its name points out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link"
    if info.flag_bits & 1:
        return "it is encrypted"
    if info.file_size > MAX_RATIO * max(info.compress_size, 1) and info.file_size > 1 << 20:
        return "it is a zip bomb: it would grow without measure"
    return _too_large(info.file_size)


def _packed(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as file:
        content = file.read(MAX_FILE + 1)  # the size that the archive declares may be a lie
    if len(content) > MAX_FILE:
        raise ValueError(_too_large(len(content)))
    return content


def _too_large(size: int) -> str:
    return f"it is larger than {MAX_FILE >> 20} MB" if size > MAX_FILE else ""


def clean(name: str) -> str:
    """One spelling for accents (a Mac writes them apart), and no control characters."""
    plain = unicodedata.normalize("NFC", name)
    return "".join(c for c in plain if unicodedata.category(c)[0] != "C")
