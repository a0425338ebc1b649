"""What comes from outside (names, texts and files of students) becomes bounded, valid values here.

Whatever ends up on a page, in a log, on a terminal, in a spreadsheet or in a file's name goes
through one of these functions.
"""

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Any

from autograder.errors import UserError

REPLACED = "\ufffd"
SURROGATES = re.compile("[\ud800-\udfff]")
CONTROLS = (
    re.compile(  # also the marks that turn the direction of writing, which forge what is read
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
    )
)
TAGS = re.compile(r"\[(?=[a-z#/@])", re.IGNORECASE)  # begins a style in rich's markup
FORMULA = re.compile("[=+@\uff1d\uff0b\uff0d\uff20-]")  # begins a formula in a spreadsheet
NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
NAME_BYTES = 200  # of a student's id or of a file's name: room is left for an ending


class TooLarge(UserError):
    """A file holds more than is read of its kind."""


def valid(value: Any, most: int) -> str:
    """Text that can be written as UTF-8, at most so long; control characters (colours) stay."""
    if not isinstance(value, str):
        return ""
    return SURROGATES.sub(REPLACED, value if len(value) <= most else value[: most - 1] + "…")


def text(value: Any, most: int) -> str:
    """The same without control characters; line breaks and tabs stay."""
    return CONTROLS.sub(REPLACED, valid(value, most).replace("\r\n", "\n"))


def line(value: Any, most: int = 500) -> str:
    """One line that is safe in a log, on a terminal and in rich's markup."""
    start = value[: 4 * most] if isinstance(value, str) else ""
    return TAGS.sub("[ ", text(" ".join(text(start, 4 * most).split()), most))


def lines(values: Any, most: int = 50, each: int = 500) -> list[str]:
    """So many lines of a list, and one that says how many more there are."""
    kept = [line(value, each) for value in values[:most]]
    more = len(values) - len(kept)
    return kept + ([f"… and {more} more"] if more > 0 else [])


def cell(value: str) -> str:
    """A text for one cell of a spreadsheet, which must not take it for a formula."""
    clean = line(value, 2000) if isinstance(value, str) else ""
    return f"'{clean}" if FORMULA.match(clean) and not NUMBER.fullmatch(clean) else clean


def file_name(value: str) -> str:
    """A name for a file: another one for every value, whatever stands in it."""
    plain = re.sub(r"[^\w.@+-]", "_", value).lstrip(".") or "_"
    short = plain.encode()[: NAME_BYTES - 20].decode("utf-8", "ignore")
    if short == value:
        return value
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{short}~{digest}"  # nothing that is kept as it is has a ~ in it


def wrong_with_name(name: str) -> str:
    """Why a student's id or a file cannot be called that, or nothing."""
    if SURROGATES.search(name):
        return "its name is not valid UTF-8"
    if len(name.encode()) > NAME_BYTES:
        return f"its name is longer than {NAME_BYTES} bytes"
    return ""


def read_bounded(path: Path, most: int) -> bytes:
    """A regular file, no link, if it holds at most so many bytes; else TooLarge or OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, flags)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(f"{line(path.name)} is not a file")
        content = b""
        if found.st_size <= most:
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                content = file.read(most + 1)
    finally:
        os.close(descriptor)
    if max(found.st_size, len(content)) > most:
        raise TooLarge(f"{line(path.name)} is larger than {most} bytes")
    return content
