"""`check` as students see it: in a real kernel, in plain text, and as the number that nbgrader
reads."""

import json
from typing import Any

import nbformat
import pytest
import torch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.utils import determine_grade

from course_utils import check, exercises, ready, summary
from course_utils.check import Problem, Result
from course_utils.judging.exercise import Choice

RIGHT = (
    "def softmax(scores, dim=-1):\n    e = (scores - scores.amax(dim, keepdim=True)).exp()\n    "
    "return e / e.sum(dim, keepdim=True)"
)
UNSTABLE = (
    "def softmax(scores, dim=-1):\n    print('noise')\n    import warnings; "
    "warnings.warn('noise')\n    e = scores.exp()\n    return e / e.sum(dim, keepdim=True)"
)
OWN_RULER = (
    "def standardise(train, test):\n"
    "    return tuple((t - t.mean(0)) / t.std(0) for t in (train, test))"
)


@pytest.fixture(scope="module")
def executed() -> dict[str, list[dict[str, Any]]]:
    """Cells run in a real kernel: name -> outputs."""
    sources = {
        "imports": "import torch\nfrom course_utils import check, ready, summary",
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
        "noted": "choice_units = 'a'\ncheck(choice_units, 'choice_units')",
        "so_far": "summary('01')",
        "choice": "choice_distance = choice_code = 'b'\ncheck(choice_units, 'choice_units')",
        "told": "check(choice_code, 'choice_code')",
        "not_ready": "ready('softmax', 'choice_units', 'choice_code')",
        "own_ruler": f"{OWN_RULER}\ncheck(standardise)",
        "right_again": f"{RIGHT}\ncheck(softmax)",
        "ready": "assert ready('softmax', 'choice_code')",
        "summary": "summary('01')",
    }
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources.values()])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return {name: cell.outputs for name, cell in zip(sources, notebook.cells, strict=True)}


def grade_of(outputs: list[dict[str, Any]], maximum: float = 3) -> float:
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "points"),
    [
        ("right", 3),
        ("unstable", 1.8),
        ("untouched", 0),
        ("forbidden", 0),
        ("broken", 0),
        ("unknown", 0),
        ("not_callable", 0),
    ],
)
def test_nbgrader_reads_the_points(
    executed: dict[str, list[dict[str, Any]]], name: str, points: float
) -> None:
    outputs = executed[name]
    assert [o["output_type"] for o in outputs] == ["execute_result"], (
        "one card and nothing else: no print, no warning"
    )
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
        ("noted", "as soon as these have an answer: choice_distance, choice_code"),
        ("so_far", "noted, told with the others"),
        ("choice", "no bandwidth that would shrink along"),
        ("choice", "axis of the queries"),
        ("told", "axis of the queries"),
        ("summary", "Still to do"),
    ],
)
def test_the_card_says_it(executed: dict[str, list[dict[str, Any]]], name: str, words: str) -> None:
    card = executed[name][0]["data"]["text/html"]
    assert words in card
    assert "Traceback" not in json.dumps(executed[name])


def test_two_mistakes_at_once_are_named_without_a_warning(
    executed: dict[str, list[dict[str, Any]]],
) -> None:
    """It forgets the constant column too, and torch warns of single rows."""
    (card,) = executed["own_ruler"]
    assert "measured with their own ruler" in card["data"]["text/html"]
    assert "fail for another reason as well" in card["data"]["text/html"]


def test_a_choice_is_not_told_before_all_are_decided(
    executed: dict[str, list[dict[str, Any]]],
) -> None:
    noted, told = (executed[name][0]["data"] for name in ("noted", "choice"))
    assert noted["text/plain"] == "0.0"
    assert "shrink along" not in noted["text/html"]
    assert "not right" not in noted["text/html"]
    assert told["text/html"].count("choice_") == 3, "a card for each"


def test_a_cell_that_needs_answers_says_which(
    executed: dict[str, list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "once these checks are green: softmax, choice_units." in executed["not_ready"][0]["text"]
    assert executed["ready"] == []
    monkeypatch.setenv("COURSE_SEED", "1")
    assert not ready(), "never while a notebook is graded"


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
    choice = exercises.find("choice_units")
    assert isinstance(choice, Choice)
    result = check(choice.right, choice.name)
    assert repr(result) == "2.0"
    assert not hasattr(result, "_repr_pretty_")
    assert not hasattr(result, "_ipython_display_")


def test_a_nameless_answer_is_asked_for_its_name() -> None:
    assert isinstance(check("b"), Problem)
    assert repr(check("b")) == "0.0"
    assert "which exercise" in str(check("b"))
