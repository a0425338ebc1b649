"""What the questions of a unit are called and ask, as they stand in the released notebook."""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.course import SOURCE_TREE, Course

HEADING = re.compile(r"^#{1,4} (.+)$", flags=re.M)


@dataclass(frozen=True)
class Question:
    """A question as a student sees it."""

    title: str
    text: str  # Markdown, without the heading


def questions(course: Course, unit: str) -> dict[str, Question]:
    """Name of an answer cell -> the question above it."""
    for root in (course.root, SOURCE_TREE):
        path = root / "assignments" / unit / f"{unit}.ipynb"
        if path.is_file():
            return _read(path, path.stat().st_mtime_ns)
    return {}


@cache
def _read(path: Path, _: int) -> dict[str, Question]:
    found: dict[str, Question] = {}
    title, texts = "", list[str]()
    for cell in json.loads(path.read_bytes())["cells"]:
        source = "".join(cell["source"])
        mark = (cell["metadata"].get("nbgrader") or {}) if "metadata" in cell else {}
        if mark.get("solution"):
            found[mark["grade_id"]] = Question(title or mark["grade_id"], "\n\n".join(texts))
        elif cell["cell_type"] == "markdown":
            if headings := HEADING.findall(source):
                title, texts = headings[-1].strip().replace("*", ""), []
                source = HEADING.split(source)[-1]
            texts.append(source.strip())
    return found


def title(course: Course, unit: str, cell: str) -> str:
    """What a graded cell is called by people."""
    name = cell.removeprefix("test_")
    found = questions(course, unit).get(name)
    return found.title if found is not None else name.replace("_", " ")
