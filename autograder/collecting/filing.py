"""Puts a submission where nbgrader looks; nothing that was there is lost: it goes to inbox/."""

import contextlib
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from autograder import outside
from autograder.collecting import taken
from autograder.collecting.archive import FAILURES
from autograder.collecting.platforms import Delivered
from autograder.collecting.taken import Taken
from autograder.course import Course
from autograder.files import remove, write_whole
from autograder.points.policy import HandIn

MAX_BESIDE = 50  # files beside the notebook
MAX_BESIDE_BYTES = 16 << 20
MAX_PATH = 800  # bytes of a file's path below the student's folder


def beside(
    usable: list[Delivered], kept: list[Delivered], one: Taken, notebooks: tuple[str, ...]
) -> dict[str, bytes]:
    """Other files that came with the notebooks; none may pass for the course's own, or for a
    time."""
    found: dict[str, bytes] = {}
    taken_names = {*notebooks, "timestamp.txt"}
    space, left_out = MAX_BESIDE_BYTES, []
    for each in usable:
        name = "/".join(each.entry.parts)
        if (
            any(each is chosen for chosen in kept)
            or name.lower().endswith(".ipynb")
            or name == "timestamp.txt"
        ):
            continue
        reason = _wrong(each.entry.parts, taken_names)
        if not reason and (len(found) >= MAX_BESIDE or each.entry.size > space):
            reason = "too many files, or too large"
        if not reason:
            try:
                content = each.entry.read()
            except FAILURES as error:
                reason = f"{error}"
        if reason:
            left_out.append(f"{outside.line(name, 100)} was left out: {outside.line(reason, 200)}")
            continue
        found[name] = content
        space -= len(content)
        taken_names |= {"/".join(each.entry.parts[:n]) for n in range(1, len(each.entry.parts) + 1)}
    one.said += outside.lines(left_out, 10)
    return found


def _wrong(parts: tuple[str, ...], there: set[str]) -> str:
    """Why a file cannot be put beside the notebook by this name."""
    name = "/".join(parts)
    if ".." in parts or len(name.encode("utf-8", "replace")) > MAX_PATH:
        return "its name cannot be used"
    if wrong := next(filter(None, map(outside.wrong_with_name, parts)), ""):
        return wrong
    above = {"/".join(parts[:n]) for n in range(1, len(parts))}
    files = {each for each in there if not any(o.startswith(f"{each}/") for o in there)}
    if name in there or above & files:
        return "another file has its name"
    return ""


def file(
    course: Course, unit: str, one: Taken, content: dict[str, bytes], others: dict[str, bytes]
) -> None:
    """The submission in submitted/STUDENT/UNIT, its notebooks by name, unless what is there is
    newer or the same."""
    target = course.submission(one.student, unit)
    before = taken.read(course, unit, one.student)
    there = taken.came(course, unit, one.student)
    one.status = "taken"
    if target.exists():
        if _there(target) == content:
            one.status = "unchanged"
            if not one.came.better_than(there):
                one.came = there
            _stamp(target, one)
            taken.write(course, unit, _with_status(one, before))
            return
        if _older(one, there, before):
            one.status = "older"
            one.notes.append(f"it is older than what is there, {there.words}; that one stays")
            for name, data in content.items():
                mark = "older" if len(content) == 1 else f"older-{Path(name).stem}"
                keep(course, unit, one.student, data, one.came.time, mark)
            return
        one.status = "replaced"
        one.notes.append(f"the one before is in {_put_away(course, unit, one.student, target)}")
    aside = target.with_name(f".{os.getpid()}.new")
    remove(aside)
    try:
        for name, data in (others | content).items():
            write_whole(aside / name, data)
        _stamp(aside, one)
        aside.rename(target)
    except BaseException:
        remove(aside)
        raise
    taken.write(course, unit, one)


def _there(folder: Path) -> dict[str, bytes]:
    """The notebooks that are filed already."""
    return {path.name: path.read_bytes() for path in folder.glob("*.ipynb") if path.is_file()}


def _with_status(one: Taken, before: Taken | None) -> Taken:
    """A record of what is there: collecting it again does not change how it came."""
    if before is None:
        return one
    before.came = one.came
    return before


def _older(one: Taken, there: HandIn, before: Taken | None) -> bool:
    """Is this version older than the one that is there, by time or by the platform's number?"""
    mine = one.came.time
    if mine is not None and there.time is not None:
        return mine < there.time
    return before is not None and before.layout == one.layout and 0 < one.upload < before.upload


def _stamp(target: Path, one: Taken) -> None:
    """timestamp.txt as nbgrader reads it; none where the time is not known."""
    path = target / "timestamp.txt"
    if one.time:
        write_whole(path, one.time)
    else:
        remove(path)


def _put_away(course: Course, unit: str, student: str, target: Path) -> Path:
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = taken.folder(course, unit) / "replaced" / student / now
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(target, kept)
    return kept.relative_to(course.root)


def keep(
    course: Course, unit: str, student: str, content: bytes, moment: datetime | None, mark: str
) -> None:
    """A version that does not count."""
    when = moment.astimezone(UTC).strftime("%Y%m%d-%H%M%S") if moment is not None else "undated"
    place = taken.folder(course, unit) / "older" / student
    with contextlib.suppress(OverflowError):
        write_whole(place / f"{when}-{mark}.ipynb", content)
