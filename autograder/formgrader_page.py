"""How formgrader shows a submission: the rubric right above every written answer, and nothing that
runs or is loaded from elsewhere. What is stored stays as it is."""

import re
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.filters import markdown2html_mistune
from nbconvert.preprocessors import Preprocessor
from traitlets import Unicode

from autograder.grading import outputs

SOLUTION = re.compile(r"### BEGIN SOLUTION\n(.*?)\n[ \t]*### END SOLUTION", flags=re.S)


class FormgraderPage(Preprocessor):
    """Prepares a notebook for the page, with what its source has as solution of written questions.

    Formgrader's template does not know nbconvert's `sanitize_html`, and notebooks that stock
    nbgrader graded hold outputs as they were: so they are cleaned here.
    """

    solutions = Unicode(help="The folder with the source notebooks.").tag(config=True)
    enabled = True

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        unit = str(resources.get("assignment_id", ""))
        found = rubrics(Path(self.solutions) / unit / f"{unit}.ipynb")
        cells = []
        for cell in nb.cells:
            mark = cell.metadata.get("nbgrader") or {}
            if cell.cell_type == "markdown" and mark.get("grade_id") in found:
                cells.append(nbformat.v4.new_markdown_cell(quoted(found[mark["grade_id"]])))
            for output in cell.get("outputs", []):
                if "data" in output:
                    output.data = nbformat.from_dict(outputs.bundle(output.data))
            cells.append(cell)
        nb.cells = cells
        return nb, resources


def safe_markdown(source: str) -> str:
    """Markdown as HTML without what runs: takes the place of nbconvert's filter."""
    found = outputs.html(markdown2html_mistune(source))
    return found if found is not None else f"<pre>{escape(source)}</pre>"


def rubrics(source: Path) -> dict[str, str]:
    """Grade id -> rubric of the written questions of a unit; empty if its source is not there."""
    if not source.is_file():
        return {}
    found = {}
    for cell in nbformat.read(source, as_version=4).cells:
        name = (cell.metadata.get("nbgrader") or {}).get("grade_id")
        if cell.cell_type == "markdown" and name and (parts := SOLUTION.findall(cell.source)):
            found[name] = "\n\n".join(parts).strip()
    return found


def quoted(rubric: str) -> str:
    """As a quotation, so that nobody takes it for the student's words."""
    lines = ["**For you, not in the student's notebook**", "", *rubric.splitlines()]
    return "\n".join(f"> {line}".rstrip() for line in lines)
