"""What both kinds of page share: where they are, their look, and how they are written."""

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder import outside
from autograder.course import SOURCE_TREE, Course
from autograder.grading.results import full_name

FOLDER = "pages"
STRESSED = re.compile(r"(?<![\w*])\*(\w[^*\n]*?)\*(?![\w*])")


@cache
def templates() -> Environment:
    """Templates escape everything unless they say otherwise."""
    environment = Environment(
        loader=PackageLoader("autograder.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["points"] = lambda value: f"{value:g}" if value is not None else "–"
    environment.filters["inline"] = inline
    environment.filters["days"] = lambda value: f"{value:.1f}" if value is not None else "–"
    return environment


def inline(text: str) -> Markup:
    """A sentence in which `code` is code and *this* is stressed; everything else is escaped."""
    parts = str(escape(text)).split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner is one
        return Markup(str(escape(text)))
    said = [
        f"<code>{part}</code>" if i % 2 else STRESSED.sub(r"<em>\1</em>", part)
        for i, part in enumerate(parts)
    ]
    return Markup("".join(said))


def asset(name: str) -> str:
    """A style sheet or script that goes into the page itself."""
    return (Path(__file__).resolve().with_name("templates") / name).read_text(encoding="utf-8")


def policy(script: str = "") -> str:
    """The content security policy of a page.

    Its own styles, its one script by its digest, pictures only from the page itself.
    """
    allowed = "'none'"
    if script:
        allowed = f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
    rules = ("default-src 'none'", "style-src 'unsafe-inline'", "img-src data:")
    return "; ".join((*rules, f"script-src {allowed}", "base-uri 'none'", "form-action 'none'"))


def feedback_path(course: Course, unit: str, student: str) -> Path:
    return course.root / FOLDER / unit / f"{outside.file_name(student)}.html"


def report_path(course: Course) -> Path:
    return course.root / FOLDER / "report.html"


def course_path(course: Course, student: str | None = None) -> Path:
    """The page over the whole course: of the class, or of one student."""
    if student is None:
        return course.root / FOLDER / "course.html"
    return course.root / FOLDER / "course" / f"{outside.file_name(student)}.html"


def site_link(course: Course, unit: str, section: str) -> str:
    """The section on the course's website, if course.toml says where that is."""
    anchor = re.sub(r"[^a-z0-9]+", "-", section.lower()).strip("-")
    site = course.settings.site.rstrip("/")
    return f"{site}/lectures/{unit}.html#{anchor}" if site else ""


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


@cache
def _code_cells(path: Path, _: int) -> tuple[str, ...]:
    cells = json.loads(path.read_bytes())["cells"]
    return tuple("".join(c["source"]) for c in cells if c["cell_type"] == "code")


def given(course: Course, unit: str) -> tuple[str, ...]:
    """The code that everybody was given: that of the released notebook and of the lecture."""
    found: list[str] = []
    for path in (
        course.assignments / unit / f"{unit}.ipynb",
        SOURCE_TREE / "lectures" / f"{unit}.ipynb",
    ):
        if path.is_file():
            found += _code_cells(path, path.stat().st_mtime_ns)
    return tuple(found)


def answers(course: Course, unit: str, student: str) -> dict[str, dict[str, Any]]:
    """Full name -> cell, of the notebooks that were graded."""
    found: dict[str, dict[str, Any]] = {}
    for notebook in course.notebooks(unit):
        path = course.graded(student, unit) / f"{notebook}.ipynb"
        try:
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        except (OSError, ValueError, KeyError):
            continue
        for cell in cells:
            if mark := (cell.get("metadata") or {}).get("nbgrader"):
                found[full_name(unit, notebook, str(mark.get("grade_id")))] = cell
    return found


def source(cell: dict[str, Any] | None) -> str:
    return "".join(cell["source"]) if cell else ""
