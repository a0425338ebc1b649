"""Writes files and folders whole or not at all; finds programs."""

import os
import shutil
import sys
from pathlib import Path


def aside(target: Path, ending: str = "new") -> Path:
    """A name beside the target that is never too long, whatever the target is called."""
    return target.with_name(f".{os.getpid()}.{ending}")


def write_whole(path: Path, content: bytes | str) -> None:
    """The file with this content, or as it was before; text in UTF-8, folders made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = aside(path)
    try:
        new.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def swap(new: Path, target: Path) -> None:
    """Put a folder in the place of another one, or of a file; if that fails, the old one stays."""
    old = aside(target, "old")
    remove(old)
    there = target.is_symlink() or target.exists()
    if there:
        target.rename(old)
    try:
        new.rename(target)
    except OSError:
        if there:
            old.rename(target)
        raise
    remove(old)


def remove(path: Path) -> None:
    """Whatever stands there goes: a folder with all in it, a file, a link; or there is nothing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def find_program(name: str) -> str | None:
    """A program on the path, beside this Python, or where Debian hides PostgreSQL's."""
    beside = Path(sys.executable).parent / name
    hidden = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return (
        shutil.which(name)
        or (str(beside) if beside.exists() else None)
        or (str(hidden[-1]) if hidden else None)
    )
