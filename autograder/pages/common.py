"""What both kinds of page share: where they are, their look, and how they are written."""

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from autograder.course import SOURCE_TREE, Course

FOLDER = "pages"


@cache
def templates() -> Environment:
    """Templates escape everything unless they say otherwise."""
    environment = Environment(
        loader=PackageLoader("autograder"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["points"] = lambda value: f"{value:g}" if value is not None else "–"
    return environment


def asset(name: str) -> str:
    """A style sheet or script that goes into the page itself."""
    return (Path(__file__).resolve().parents[1] / "templates" / name).read_text(encoding="utf-8")


def policy(script: str = "") -> str:
    """The content security policy of a page: its own styles, its one script by its digest, pictures only from the page itself."""
    allowed = "'none'"
    if script:
        allowed = f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}; base-uri 'none'; form-action 'none'"


def write(path: Path, text: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def feedback_path(course: Course, unit: str, student: str) -> Path:
    return course.root / FOLDER / unit / f"{safe_name(student)}.html"


def report_path(course: Course) -> Path:
    return course.root / FOLDER / "report.html"


def safe_name(student: str) -> str:
    """A student's id as a file name."""
    return re.sub(r"[^\w.@+-]", "_", student).lstrip(".") or "_"


def section_link(course: Course, unit: str, section: str) -> str:
    """The section of the lecture, in Colab: the link scrolls to the cell with the heading."""
    repository = {"owner": "", "name": "", "branch": "main"} | course.settings.student_repository
    if not repository["owner"]:
        return ""
    base = f"https://colab.research.google.com/github/{repository['owner']}/{repository['name']}/blob/{repository['branch']}"
    cell = heading_cells(unit).get(section, "")
    return f"{base}/lectures/{unit}.ipynb" + (f"#scrollTo={cell}" if cell else "")


@cache
def heading_cells(unit: str) -> dict[str, str]:
    """Heading of the lecture -> id of the cell in which it stands."""
    path = SOURCE_TREE / "lectures" / f"{unit}.ipynb"
    if not path.is_file():
        return {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found: dict[str, str] = {}
    for cell in cells:
        if cell["cell_type"] == "markdown":
            for title in re.findall(r"^#{1,4} (.+)$", "".join(cell["source"]), flags=re.M):
                found.setdefault(title.strip(), str(cell.get("id", "")))
    return found


def answers(course: Course, unit: str, student: str) -> dict[str, dict[str, Any]]:
    """grade id -> cell, of the notebook that was graded."""
    path = course.autograded / student / unit / f"{unit}.ipynb"
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    except (OSError, ValueError, KeyError):
        return {}
    return {str((c["metadata"].get("nbgrader") or {}).get("grade_id")): c for c in cells if (c.get("metadata") or {}).get("nbgrader")}


def source(cell: dict[str, Any] | None) -> str:
    return "".join(cell["source"]) if cell else ""
