"""`make site`: gathers the pages into build/site-source and lets Sphinx make build/site of them; runs no notebook, needs no network.

The tree of pages is the tree of the repository (lectures/, assignments/, docs/), so a relative link works in both. Pages that only the
site has are beside this file: index.md, playground.md, api/. What each notebook's page gets on top is in `page_of`.
"""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from autograder import notebooks
from autograder.course import SOURCE_TREE, Course
from autograder.errors import UserError

SITE = Path(__file__).resolve().parent
BUTTONS = """\
<p class="notebook-links">
<a href="{colab}" class="colab">Open in Colab</a>
<a href="{file}" download>Download notebook</a>
<a href="{other}">{to}</a>
</p>"""


def main() -> int:
    course = Course.find(SOURCE_TREE)
    target = course.root / "build" / "site"
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="site-") as folder:
        source, new = Path(folder) / "source", Path(folder) / "site"
        gather(course, source)
        if code := sphinx(source, new):
            return code
        copy_files(course, new)
        notebooks.swap(new, target)
    print(f"the site: {target.relative_to(course.root)}/index.html ({len(list(target.rglob('*.html')))} pages)")
    return 0


def gather(course: Course, source: Path) -> None:
    """All pages, as Markdown and notebooks."""
    shutil.copytree(SITE, source, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for name in notebooks.names(course):
        lecture, assignment = notebooks.lecture_path(course, name), course.assignments / name / f"{name}.ipynb"
        for path, other, to in ((lecture, assignment, "To the assignment"), (assignment, lecture, "To the lecture")):
            if path.is_file():
                page = page_of(course, path, other if other.is_file() else course.root / "docs" / "student.md", to)
                write(source / path.relative_to(course.root), json.dumps(page, ensure_ascii=False))
    repository = course.settings.student_repository
    for path in (course.root / "docs").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        if path.stem == "student":  # as in the student repository itself
            text = text.replace("OWNER", repository["owner"]).replace("REPOSITORY", repository["name"])
        write(source / "docs" / path.name, text)


def page_of(course: Course, path: Path, other: Path, to: str) -> dict[str, Any]:
    """A notebook as a page: the badge and the set-up cell make room for links that a reader of the site needs."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    repository = course.settings.student_repository
    here = path.relative_to(course.root).as_posix()
    buttons = BUTTONS.format(
        colab=f"{notebooks.COLAB}/github/{repository['owner']}/{repository['name']}/blob/{repository['branch']}/{here}",
        file=path.name,
        other=Path(os.path.relpath(other, path.parent)).with_suffix(".html").as_posix(),
        to=to,
    )
    cells = [cell for cell in notebook["cells"] if notebooks.OPENING not in cell["metadata"].get("tags", [])]
    title, _, text = "".join(cells[0]["source"]).partition("\n")
    cells[0]["source"] = f"{title}\n\n{buttons}\n\n{text}"
    notebook["cells"] = cells
    return notebook


def copy_files(course: Course, target: Path) -> None:
    """Notebooks to download, each beside its page, and the example pages."""
    for pattern in ("lectures/*.ipynb", "assignments/*/*.ipynb", "docs/examples/**/*.html"):
        for path in course.root.glob(pattern):
            copy(path, target / path.relative_to(course.root))


def sphinx(source: Path, target: Path) -> int:
    """Warnings are errors."""
    from sphinx.cmd.build import main as sphinx_build

    doctrees = source.parent / "doctrees"
    return sphinx_build(["-q", "-W", "-b", "html", "-c", str(SITE), "-d", str(doctrees), str(source), str(target)])


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy(path: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UserError as error:
        sys.exit(f"make site: {error}")
