"""`make site`: gathers the pages and lets Sphinx make build/site of them; runs no notebook, needs
no network.

The tree of pages is the tree of the repository (lectures/, assignments/, docs/), so a relative link
works in both. Pages that only the site has are beside this file: index.md and so on, with `{{ }}`
(Jinja) where they list the units. What is live on them comes from live/ and stands in
live_parts.py.
"""

import ast
import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import jinja2
import pictures

from autograder.authoring import notebooks
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError
from autograder.grading import view
from course_utils import exercises

sys.path.insert(0, str(SOURCE_TREE))  # for tools, which is not installed

import formulas
import lighten
import live_parts
import search

from tools import bundle

SITE = Path(__file__).resolve().parent
SMALL_ENOUGH = {  # lectures on one attention, small enough for the microscope
    f"lectures/{name}.ipynb"
    for name in (
        "01_nadaraya_watson",
        "02_dot_product_attention",
        "03_masking",
        "05_multi_head_attention",
    )
}
BUTTONS = """\
<p class="notebook-links">
<a href="{colab}" class="colab">Open in Colab</a>
<a href="{file}" download>Download notebook</a>{other}
</p>"""


def main(target: Path = SOURCE_TREE / "build" / "site") -> int:
    course = Course.find(SOURCE_TREE)
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="site-") as folder:
        source, new = Path(folder) / "source", Path(folder) / "site"
        gather(course, source)
        if code := sphinx(source, new):
            return code
        copy_files(course, new)
        copy_live(new)
        search.write_index(new)
        formulas.set_formulas(new)
        lighten.lighten(new)
        notebooks.swap(new, target)
    pages = len(list(target.rglob("*.html")))
    print(f"the site: {os.path.relpath(target)}/index.html ({pages} pages)")
    return 0


def gather(course: Course, source: Path) -> None:
    """All pages: the site's own, the notebooks, the guides."""
    context = facts(course)
    for path in SITE.glob("**/*.md"):
        page = jinja2.Template(path.read_text(encoding="utf-8"), undefined=jinja2.StrictUndefined)
        write(source / path.relative_to(SITE), page.render(context))
    for name in notebooks.names(course):
        lecture, assignment = (
            notebooks.lecture_path(course, name),
            course.assignments / name / f"{name}.ipynb",
        )
        for path, other, to in (
            (lecture, assignment, "To the assignment"),
            (assignment, lecture, "To the lecture"),
        ):
            if path.is_file():
                built = page_of(course, path, other if other.is_file() else None, to)
                if path == lecture:
                    fold_plotting(built)
                    add_below_title(built, live_parts.top_of_lecture(name, context["live"]))
                write(source / path.relative_to(course.root), json.dumps(built, ensure_ascii=False))
    for path in (course.root / "docs").glob("*.md"):
        text = re.sub(
            r"<!--(=.*?|/)-->", "", path.read_text(encoding="utf-8")
        )  # the marks around measured figures
        if path.stem == "student":  # as in the student repository itself
            text = text.replace("OWNER", repository(course)["owner"]).replace(
                "REPOSITORY", repository(course)["name"]
            )
        write(source / "docs" / path.name, text)
    described = set(
        re.findall(
            r"automodule:: course_utils\.([\w.]+)",
            "".join(path.read_text("utf-8") for path in SITE.glob("api/*.md")),
        )
    )
    modules = {name for name in view.sources() if not name.startswith("exercises.")} - {
        "data",
        "judging",
    }
    if missing := modules - described:
        raise UserError(
            f"no place in the API yet: {', '.join(sorted(missing))} (of course_utils): "
            "put each on a page in docs/site/api/"
        )


def repository(course: Course) -> dict[str, str]:
    """Where students find the notebooks, from course.toml."""
    return {
        "owner": "OWNER",
        "name": "REPOSITORY",
        "branch": "main",
    } | course.settings.student_repository


def facts(course: Course) -> dict[str, Any]:
    """What the site's own pages may name: the units with their promises (from the table in
    README.md), exercises, figures.
    """
    drawn = pictures.pictures()
    rows = re.findall(
        r"^\| \[(\d\d) (.+?)\]\(lectures/(\w+)\.ipynb\) \| (.+?) \|$",
        (course.root / "README.md").read_text("utf-8"),
        flags=re.M,
    )
    lectures = sorted(path.stem for path in (course.root / "lectures").glob("*.ipynb"))
    if [row[2] for row in rows] != lectures or set(drawn) != set(lectures):
        raise UserError(
            "every lecture needs a row in the table of README.md "
            "and a picture in docs/site/pictures.py, and nothing else does"
        )
    units = [
        {
            "number": number,
            "title": title,
            "name": name,
            "promise": promise,
            "alt": drawn[name][0],
            "tasks": tasks(name),
        }
        for number, title, name, promise in rows
    ]
    return {
        "title": course.settings.title,
        "units": units,
        "exercises": sum(len(unit.exercises) for unit in exercises.units()),
        "live": live_parts.parts(),
    }


def tasks(unit: str) -> str:
    """What an assignment asks for, in one line."""
    asked = exercises.unit(unit).exercises
    choices = sum(each.kind == "choice" for each in asked)
    return (
        ", ".join(each.name for each in asked if each.kind != "choice")
        + f"; {choices} questions with options"
    )


def page_of(course: Course, path: Path, other: Path | None, to: str) -> dict[str, Any]:
    """A notebook as a page: the badge and the set-up cell make room for links that a reader of the
    site needs.
    """
    notebook = json.loads(path.read_text(encoding="utf-8"))
    students = repository(course)
    here = path.relative_to(course.root).as_posix()
    link = (
        Path(os.path.relpath(other, path.parent)).with_suffix(".html").as_posix() if other else ""
    )
    buttons = BUTTONS.format(
        colab=f"{notebooks.COLAB}/github/{students['owner']}/{students['name']}/blob/{students['branch']}/{here}",
        file=path.name,
        other=(f'\n<a href="{link}">{to}</a>' if other else "")
        + ('\n<a href="../microscope.html">Microscope</a>' if here in SMALL_ENOUGH else ""),
    )
    cells = [
        cell
        for cell in notebook["cells"]
        if notebooks.OPENING not in cell["metadata"].get("tags", [])
    ]
    title, _, text = "".join(cells[0]["source"]).partition("\n")
    cells[0]["source"] = f"{title}\n\n{buttons}\n\n{text}"
    notebook["cells"] = cells
    return notebook


PLOTTING = {
    "plt",
    "ax",
    "axes",
    "curves",
    "bars",
    "heatmap",
    "heatmaps",
    "mask_map",
    "mask_maps",
    "mask_legend",
    "interactive",
    "show",
    "look",
    "looks",
}


def fold_plotting(notebook: dict[str, Any]) -> None:
    """Cells that mostly draw are folded: a reader wants the figure, and the code only sometimes."""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and plots(source) > 0.6 and source.count("\n") > 1:
            cell["metadata"].setdefault("tags", []).append("hide-input")


def plots(source: str) -> float:
    """The share of lines in statements that draw."""
    try:
        statements = ast.parse(source).body
    except SyntaxError:  # magics
        return 0.0
    sizes = [(each.end_lineno or 0) - each.lineno + 1 for each in statements]
    draws = [
        any(isinstance(part, ast.Name) and part.id in PLOTTING for part in ast.walk(each))
        for each in statements
    ]
    drawn = sum(size for size, draw in zip(sizes, draws, strict=True) if draw)
    return drawn / max(sum(sizes), 1)


def add_below_title(notebook: dict[str, Any], html: str) -> None:
    """What a reader of the site sees first, below the title and its links."""
    cell = notebook["cells"][0]
    head, text = "".join(cell["source"]).split("</p>\n\n", 1)
    cell["source"] = f"{head}</p>\n\n{html}\n\n{text}"


def copy_files(course: Course, target: Path) -> None:
    """Notebooks to download, each beside its page, and the example pages."""
    for pattern in ("lectures/*.ipynb", "assignments/*/*.ipynb", "docs/examples/**/*.html"):
        for path in course.root.glob(pattern):
            copy(path, target / path.relative_to(course.root))
    for unit, (_, svg) in pictures.pictures().items():
        write(target / "pictures" / f"{unit}.svg", svg)


def copy_live(target: Path) -> None:
    """The live parts: a script for each, one style sheet, and the models that are loaded on use."""
    folder = target / "_static" / "live"
    for part in bundle.parts():
        write(folder / f"{part}.js", bundle.for_page(part))
    copy(bundle.LIVE / "live.css", folder / "live.css")
    for path in (bundle.LIVE / "models").glob("*.js"):
        copy(path, folder / "models" / path.name)


def sphinx(source: Path, target: Path) -> int:
    """Warnings are errors."""
    from sphinx.cmd.build import main as sphinx_build

    doctrees = source.parent / "doctrees"
    return sphinx_build(
        ["-q", "-W", "-b", "html", "-c", str(SITE), "-d", str(doctrees), str(source), str(target)]
    )


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


if __name__ == "__main__":
    try:
        sys.exit(main(*(Path(folder).resolve() for folder in sys.argv[1:2])))
    except UserError as error:
        sys.exit(f"make site: {error}")
