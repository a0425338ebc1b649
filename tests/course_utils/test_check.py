"""`check` as students see it: in a real kernel, in plain text, and as the number that nbgrader reads."""

import json

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

from course_utils import check, summary
from course_utils.check import Problem, Result

RIGHT = "def softmax(scores, dim=-1):\n    e = (scores - scores.amax(dim, keepdim=True)).exp()\n    return e / e.sum(dim, keepdim=True)"
UNSTABLE = "def softmax(scores, dim=-1):\n    print('noise')\n    import warnings; warnings.warn('noise')\n    e = scores.exp()\n    return e / e.sum(dim, keepdim=True)"


@pytest.fixture(scope="module")
def executed() -> dict[str, list[dict]]:
    """Cells run in a real kernel: name -> outputs."""
    sources = {
        "imports": "import torch\nfrom course_utils import check, summary",
        "right": f"{RIGHT}\ncheck(softmax)",
        "unstable": f"{UNSTABLE}\ncheck(softmax)",
        "stub": "def softmax(scores, dim=-1):\n    ...  # YOUR CODE HERE",
        "untouched": "check(softmax)",
        "forbidden_def": "def softmax(scores, dim=-1):\n    return torch.softmax(scores, dim)",
        "forbidden": "check(softmax)",
        "broken_def": "def softmax(scores, dim=-1):\n    return scores.no_such_thing",
        "broken": "check(softmax)",
        "unknown": "check(lambda x: x, 'softmacks')",
        "not_callable": "check(3, 'softmax')",
        "choice": "slide_units = 'a'\ncheck(slide_units, 'slide_units')",
        "summary": "summary('01')",
    }
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources.values()])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return {name: cell.outputs for name, cell in zip(sources, notebook.cells, strict=True)}


def grade_of(outputs: list[dict], maximum: float = 3) -> float:
    """What stock nbgrader gives for a test cell with these outputs."""
    cell = new_code_cell(
        "check(softmax)",
        metadata={
            "nbgrader": {
                "grade": True,
                "grade_id": "t",
                "points": maximum,
                "solution": False,
                "locked": True,
                "schema_version": 3,
                "task": False,
            }
        },
    )
    cell.outputs = [nbformat.from_dict(output) for output in outputs]
    return determine_grade(cell)[0]


@pytest.mark.parametrize(
    ("name", "points"),
    [("right", 3), ("unstable", 1.8), ("untouched", 0), ("forbidden", 0), ("broken", 0), ("unknown", 0), ("not_callable", 0)],
)
def test_nbgrader_reads_the_points(executed: dict[str, list[dict]], name: str, points: float) -> None:
    outputs = executed[name]
    assert [o["output_type"] for o in outputs] == ["execute_result"], "one card and nothing else: no print, no warning"
    assert outputs[0]["data"]["text/plain"] == repr(float(points))
    assert grade_of(outputs) == points


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("right", "3 of 3 points"),
        ("unstable", "exp overflows"),
        ("untouched", "not started"),
        ("forbidden", "not allowed"),
        ("broken", "in your line 2: <code>return scores.no_such_thing</code>"),
        ("unknown", "Did you mean softmax?"),
        ("not_callable", "should be a function"),
        ("choice", "minus 16 million"),
        ("summary", "Still to do"),
    ],
)
def test_the_card_says_it(executed: dict[str, list[dict]], name: str, words: str) -> None:
    card = executed[name][0]["data"]["text/html"]
    assert words in card
    assert "Traceback" not in json.dumps(executed[name])


def test_plain_text_where_there_is_no_front_end(capsys: pytest.CaptureFixture[str]) -> None:
    def softmax(scores: torch.Tensor, dim: int = -1) -> torch.Tensor:
        return scores.sigmoid()

    result = check(softmax)
    assert isinstance(result, Result)
    printed = capsys.readouterr()
    assert "Each score on its own" in printed.out
    assert printed.err == ""
    assert str(result) in printed.out
    assert "softmax" in str(summary("01"))


def test_the_number_is_safe_for_nbgrader() -> None:
    result = check("c", "slide_units")
    assert repr(result) == "2.0"
    assert not hasattr(result, "_repr_pretty_")
    assert not hasattr(result, "_ipython_display_")


def test_a_nameless_answer_is_asked_for_its_name() -> None:
    assert isinstance(check("b"), Problem)
    assert repr(check("b")) == "0.0"
    assert "which exercise" in str(check("b"))
