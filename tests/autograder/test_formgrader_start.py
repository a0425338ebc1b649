"""Formgrader as `autograder formgrader` starts it: names, and no grading without walls."""

from pathlib import Path

import nbformat
import pytest

from autograder import formgrader
from autograder.course import Course
from autograder.errors import UserError
from autograder.formgrader_page import FormgraderPage


def test_its_own_autograde_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from nbgrader.apps.api import NbGraderAPI

    monkeypatch.setattr(NbGraderAPI, "autograde", NbGraderAPI.autograde)  # put back afterwards
    formgrader.without_autograde()
    answer = NbGraderAPI.autograde(object(), "01_nadaraya_watson", "anna")
    assert answer["success"] is False
    assert "autograder grade 01" in answer["error"]


def test_the_configuration_is_python_and_names_this_course(tmp_path: Path) -> None:
    text = formgrader.config(Course(tmp_path), 8123)
    compile(text, "config", "exec")
    for line in ("without_autograde()", 'ip = "127.0.0.1"', str(tmp_path)):
        assert line in text


def rendered(tmp_path: Path, answer: str) -> str:
    """A submission as formgrader shows it: its template, its exporter, our configuration."""
    from nbconvert.exporters import HTMLExporter
    from nbgrader.server_extensions.formgrader import handlers
    from traitlets.config import Config

    mark = {"grade_id": "why", "grade": True, "solution": True, "points": 3, "task": False}
    folder = tmp_path / "solutions" / "01_a"
    folder.mkdir(parents=True, exist_ok=True)
    solved = nbformat.v4.new_markdown_cell(
        "Say why.\n### BEGIN SOLUTION\n**Rubric**\n\n1. the weights sum to one\n### END SOLUTION\n",
        metadata={"nbgrader": mark},
    )
    nbformat.write(nbformat.v4.new_notebook(cells=[solved]), folder / "01_a.ipynb")
    given = nbformat.v4.new_markdown_cell(answer, metadata={"nbgrader": mark})
    path = tmp_path / "given.ipynb"
    active = nbformat.v4.new_output(
        "display_data", {"text/html": "<b>out</b><script>run_me()</script>"}
    )
    code = nbformat.v4.new_code_cell("show()", outputs=[active])
    nbformat.write(nbformat.v4.new_notebook(cells=[given, code]), path)
    c = Config()
    c.HTMLExporter.template_name = "formgrade"
    c.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    written = formgrader.config(Course(tmp_path), 8123)
    lines = [line for line in written.splitlines() if "HTMLExporter" in line or "Page" in line]
    exec("\n".join(lines), {"c": c})  # what formgrader is told about its pages
    who = {"assignment_id": "01_a", "notebook_id": "01_a", "submission_id": "s", "student": "ada"}
    where = {"index": 0, "total": 1, "base_url": "", "notebook_path": "", "first_name": "Ada"}
    more = {"last_name": "One", "mathjax_url": ""}
    html, _ = HTMLExporter(config=c).from_filename(str(path), resources=who | where | more)
    return str(html)


def test_the_rubric_stands_right_above_the_answer(tmp_path: Path) -> None:
    page = rendered(tmp_path, "Because I say so.<script>alert(1)</script>")
    assert page.index("the weights sum to one") < page.index("Because I say so.")
    assert "BEGIN SOLUTION" not in page
    assert "Say why." not in page, "only what is not in the student's notebook anyway"
    assert "alert(1)" not in page, "nor does anything of it run, whatever graded it"
    assert "<b>out</b>" in page
    assert "run_me()" not in page


def test_no_source_no_rubric(tmp_path: Path) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("text")])
    shown = FormgraderPage(solutions=str(tmp_path))
    assert shown.preprocess(notebook, {"assignment_id": "01_a"})[0] == notebook


def test_without_a_gradebook_it_says_what_to_do_first(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("")
    with pytest.raises(UserError, match="no gradebook yet"):
        formgrader.serve(Course(tmp_path), 8123, print)
