"""Has anything changed since the last run? If not, what that run said is still true, and is said
again without opening the gradebook.

Compared are size and time of every file of the course and of this package's code. A gradebook that
is not the course's own file cannot be looked at from outside, so there everything is read again.
"""

import contextlib
import hashlib
import importlib.util
import os
import time
from pathlib import Path

import msgspec

from autograder import files
from autograder.course import GRADEBOOK, SEED, Course
from autograder.grading.results import RunSummary

OWN = "runs/unchanged"  # where this is kept
# by a run itself
WRITTEN = (".secret_seed", "autograded/", "backups/", "gradebook.db", "pages/", "runs/")
LATE = ("runs/logs", "pages", OWN)  # after the points were read, or by every run

Seen = dict[str, tuple[int, int]]  # of each file: size, and time of its last change


class Said(msgspec.Struct):
    """What a run said at its end."""

    skipped: int
    problems: list[dict[str, str]]
    columns: list[str]
    rows: list[list[str]]


class Kept(msgspec.Struct):
    """The same on disk, with a digest of the files that it was true for."""

    seen: str
    page: tuple[int, int]
    said: Said


def last(course: Course, unit: str) -> Said | None:
    """What the last run over a unit said, if nothing has changed since then."""
    if not _can_be_seen(course):
        return None
    try:
        kept = msgspec.json.decode(_path(course, unit).read_bytes(), type=Kept)
        same = kept.page == _stat(_page(course)) and kept.seen == _digest(look(course))
    except (OSError, msgspec.MsgspecError):  # then everything is read again
        return None
    return kept.said if same else None


def look(course: Course) -> Seen:
    """All files that decide what a run says."""
    return {**_files(course.root, LATE), **_code()}


def inputs(seen: Seen) -> Seen:
    """Those that a run does not write itself."""
    return {name: stat for name, stat in seen.items() if not name.startswith(WRITTEN)}


def keep(
    course: Course,
    before: Seen,
    after: Seen,
    summary: RunSummary,
    table: tuple[list[str], list[list[str]]],
) -> None:
    """Remember what a run came to, unless somebody handed in or changed something meanwhile, or it
    tried something in vain, which is tried again the next time. `before` was seen before the run,
    `after` right before the points of the table were read."""
    in_vain = summary.level is not None and summary.problems
    if not _can_be_seen(course) or in_vain or inputs(before) != inputs(after):
        return
    said = Said(summary.graded + summary.skipped, summary.problems, *table)
    with contextlib.suppress(OSError):  # without it the next run is only slower
        kept = Kept(_digest(after), _stat(_page(course)), said)
        files.write_whole(_path(course, summary.unit), msgspec.json.encode(kept))


def _can_be_seen(course: Course) -> bool:
    own = not course.foreign and not course.settings.gradebook.get("url")
    return own and GRADEBOOK not in os.environ and SEED not in os.environ


def _path(course: Course, unit: str) -> Path:
    return course.root / OWN / f"{unit}.json"


def _page(course: Course) -> Path:
    return course.root / "pages" / "report.html"


def _code() -> Seen:
    """Of both packages, without importing one: that would import torch."""
    specs = (importlib.util.find_spec(name) for name in ("autograder", "course_utils"))
    places = [Path(spec.origin).parent for spec in specs if spec is not None and spec.origin]
    return {f"{each}/{name}": stat for each in places for name, stat in _files(each, ()).items()}


def _digest(seen: Seen) -> str:
    said = repr(sorted(seen.items()))  # a name may hold bytes that are no text
    return hashlib.sha256(said.encode("utf-8", "backslashreplace")).hexdigest()


def _files(root: Path, without: tuple[str, ...]) -> Seen:
    """Every file below a folder; what cannot be read is never the same as before."""
    found: Seen = {}
    folders = [""]
    while folders:
        below = folders.pop()
        try:
            with os.scandir(f"{root}/{below}") as entries:
                for entry in entries:
                    name = f"{below}{entry.name}"
                    if name in without:
                        continue
                    if not entry.is_dir(follow_symlinks=False):
                        stat = entry.stat(follow_symlinks=False)
                        found[name] = stat.st_size, stat.st_mtime_ns
                    elif not entry.name.startswith((".", "__")):  # no environment, no compiled code
                        folders.append(f"{name}/")
        except OSError:
            found[below] = -1, time.time_ns()
    return found


def _stat(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns
