"""Reads a zip file or a folder without trusting it: nothing is unpacked, no link is followed, nothing is read beyond its limit."""

import io
import os
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.errors import UserError

MAX_FILE = 20 << 20  # bytes of one file
MAX_RATIO = 300  # of a compressed file: a notebook full of figures reaches 10
MAX_ENTRIES = 200_000
HIDDEN = ("__MACOSX", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class Entry:
    """A file that was delivered; `refused` says why it must not be read."""

    parts: tuple[str, ...]
    size: int
    time: datetime | None
    read: Callable[[], bytes]
    refused: str = ""

    @property
    def name(self) -> str:
        return self.parts[-1]

    def inside(self, count: int) -> "Entry":
        """The same file, seen from `count` folders further in."""
        return Entry(self.parts[count:], self.size, self.time, self.read, self.refused)


def entries(source: Path) -> list[Entry]:
    """All files of a zip or folder but the hidden ones; zips inside are looked into, one level deep."""
    if source.is_dir():
        found = list(_folder(source))
    elif source.is_file() and zipfile.is_zipfile(source):
        found = list(_zip(source.read_bytes(), ()))
    elif source.exists():
        raise UserError(f"{source} is neither a folder nor a zip file")
    else:
        raise UserError(f"there is no {source}")
    return [each for entry in found for each in _opened(entry)]


def _opened(entry: Entry) -> Iterator[Entry]:
    if not entry.name.lower().endswith(".zip") or entry.refused:
        yield entry
        return
    try:
        yield from _zip(entry.read(), entry.parts)
    except (UserError, zipfile.BadZipFile, OSError, ValueError):
        yield Entry(entry.parts, entry.size, entry.time, entry.read, "it is a zip file that cannot be read")


def _hidden(parts: tuple[str, ...]) -> bool:
    return any((part.startswith(".") and part != "..") or part in HIDDEN for part in parts)


def _folder(source: Path) -> Iterator[Entry]:
    queue, seen = [source], 0
    while queue:
        for item in sorted(os.scandir(queue.pop()), key=lambda each: each.name):
            parts = tuple(clean(part) for part in Path(item.path).relative_to(source).parts)
            status = item.stat(follow_symlinks=False)
            seen += 1
            if seen > MAX_ENTRIES:
                raise UserError(f"{source} holds more than {MAX_ENTRIES} files")
            if _hidden(parts):
                continue
            time = datetime.fromtimestamp(status.st_mtime, UTC)
            if stat.S_ISDIR(status.st_mode):
                queue.append(Path(item.path))
            elif not stat.S_ISREG(status.st_mode):
                yield Entry(parts, 0, time, bytes, "it is a link or a device")
            else:
                reason = _too_large(status.st_size)
                yield Entry(parts, status.st_size, time, Path(item.path).read_bytes, reason)


def _zip(content: bytes, above: tuple[str, ...]) -> Iterator[Entry]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError) as error:
        raise UserError(f"the zip file cannot be read: {error}") from None
    if len(archive.infolist()) > MAX_ENTRIES:
        raise UserError(f"the zip file holds more than {MAX_ENTRIES} files")
    for info in archive.infolist():
        path = info.filename.replace("\\", "/")
        parts = above + tuple(clean(part) for part in path.split("/") if part not in ("", "."))
        if info.is_dir() or not parts or _hidden(parts):
            continue
        try:
            time: datetime | None = datetime(*info.date_time, tzinfo=UTC)
        except ValueError:
            time = None
        yield Entry(parts, info.file_size, time, _reader(archive, info), _refusal(info, path))


def _refusal(info: zipfile.ZipInfo, path: str) -> str:
    if ".." in path.split("/") or path.startswith("/") or path[1:2] == ":":
        return "its name points out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "it is a link"
    if info.flag_bits & 1:
        return "it is encrypted"
    if info.file_size > MAX_RATIO * max(info.compress_size, 1) and info.file_size > 1 << 20:
        return "it is a zip bomb: it would grow without measure"
    return _too_large(info.file_size)


def _reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], bytes]:
    def read() -> bytes:
        with archive.open(info) as file:
            content = file.read(MAX_FILE + 1)  # the size that the archive declares may be a lie
        if len(content) > MAX_FILE:
            raise ValueError(_too_large(len(content)))
        return content

    return read


def _too_large(size: int) -> str:
    return f"it is larger than {MAX_FILE >> 20} MB" if size > MAX_FILE else ""


def clean(name: str) -> str:
    """One spelling for accents (a Mac writes them apart), and no control characters."""
    return "".join(c for c in unicodedata.normalize("NFC", name) if unicodedata.category(c)[0] != "C")
