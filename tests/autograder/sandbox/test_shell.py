"""What is not handed to IPython's transformers would come back from them as it is."""

import ast
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from IPython.core.inputtransformer2 import TransformerManager

from autograder.authoring.attempts import attempts
from autograder.course import SOURCE_TREE
from autograder.sandbox.shell import is_python
from course_utils import exercises

NOTEBOOKS = [*SOURCE_TREE.glob("lectures/*.ipynb"), *SOURCE_TREE.glob("assignments/*/*.ipynb")]
LINES = (
    *(
        "x = 1",
        "y = x % 2",
        "    y = 2",
        "if x:",
        "def f():",
        "%time x",
        "!ls",
        "x?",
        "?x",
        "",
        " ",
    ),
    *('"""', "%%time", "a = !ls", "b = %who", ">>> x", "In [1]: x", "...: y", "(", ")", "\\", "\t"),
    *(
        "# %time",
        "f'''",
        "'''",
        "x \\",
        "% 3",
        "! = 2",
        ",f a",
        ";f a",
        "/f a",
        "\x0c",
        "await f()",
    ),
)


def unchanged(code: str) -> bool:
    """The same program, on the same lines."""
    made = TransformerManager().transform_cell(code)
    return tree(made) == tree(code)


def tree(code: str) -> str:
    return ast.dump(ast.parse(code), include_attributes=True)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_of_the_course(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    plain = [source for source in sources if is_python(source)]
    assert plain
    assert all(unchanged(source) for source in plain)


def test_answers_of_the_bank() -> None:
    sources = [a.source for unit in exercises.units() for a in attempts(unit)]
    plain = [source for source in sources if is_python(source)]
    assert len(plain) > 1000
    assert [source for source in plain if not unchanged(source)] == []


@pytest.mark.parametrize(
    "code",
    [
        *("pwd", "x", "x?\ny", "%time x\ny", "%%time\nx", "!ls\nx", "a = !ls\nb", "x = 1\n%who"),
        *(
            "    x = 1\n    y = 2",
            "\n\nx = 1\ny = 2",
            "In [1]: x\ny = 2",
            ">>> x\n>>> y",
            "x = 1\nIn [1]: x",
        ),
        *("", "\n", "x = (\n", "def f(:\n  pass", "x\x00\ny"),
    ],
)
def test_what_ipython_has_to_see(code: str) -> None:
    assert not is_python(code)


@given(st.lists(st.sampled_from(LINES), max_size=6).map("\n".join))
def test_any_cell(code: str) -> None:
    assert not is_python(code) or unchanged(code)
