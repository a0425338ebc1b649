"""Which answers are as they were when they were recorded last: what a person has graded stays
graded unless that very answer has changed."""

import hashlib
import json
from pathlib import Path

from autograder.course import Course
from autograder.files import write_whole


def digests(course: Course, unit: str, student: str) -> dict[str, str]:
    """Name of a marked cell -> digest of what stands in it, in the notebook that was graded."""
    path = course.autograded / student / unit / f"{unit}.ipynb"
    try:
        cells = json.loads(path.read_bytes())["cells"]
        found = {}
        for cell in cells:
            mark = cell.get("metadata", {}).get("nbgrader") or {}
            text = "".join(cell["source"]).encode("utf-8", "surrogatepass")
            if "grade_id" in mark:
                found[str(mark["grade_id"])] = hashlib.sha256(text).hexdigest()
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found


def unchanged(course: Course, unit: str, student: str) -> frozenset[str]:
    """The graded cells whose answers are the same as when they were recorded last."""
    before = stored(course, unit, student)
    now = digests(course, unit, student)
    answer = {name: name.removeprefix("test_") for name in now}
    return frozenset(
        name for name in now if before.get(answer[name]) == now.get(answer[name], "none")
    )


def stored(course: Course, unit: str, student: str) -> dict[str, str]:
    """The digests of the answers that were recorded last."""
    try:
        return dict(json.loads(_path(course, unit, student).read_bytes()))
    except (OSError, ValueError):
        return {}


def remember(course: Course, unit: str, student: str) -> None:
    if now := digests(course, unit, student):
        write_whole(_path(course, unit, student), json.dumps(now))


def _path(course: Course, unit: str, student: str) -> Path:
    return course.root / "runs" / "answers" / unit / f"{student}.json"
