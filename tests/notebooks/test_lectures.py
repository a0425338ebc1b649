"""Every lecture runs from top to bottom in a fresh kernel, with its full trainings."""

from pathlib import Path

import pytest

from autograder.authoring import notebooks
from autograder.course import SOURCE_TREE, Course

COURSE = Course(SOURCE_TREE)
NAMES = [
    name for name in notebooks.names(COURSE) if notebooks.lecture_source(COURSE, name).is_file()
]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_lecture_runs(name: str, tmp_path: Path) -> None:
    notebook = notebooks.lecture(COURSE, name)
    notebooks.execute(notebook, tmp_path)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
