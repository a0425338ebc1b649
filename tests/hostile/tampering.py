"""Attacks on the files: what a student does to the notebook or puts beside it.

Each gets the notebook with a wrong softmax.
"""

import copy
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.autograder.classroom import UNIT, named

Notebook = dict[str, Any]
RIGHT = """def softmax(scores, dim=-1):
    e = (scores - scores.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)"""
SCRIPT = "<script>alert('{mark}-xss')</script>"


@dataclass(frozen=True)
class Tampering:
    name: str
    attack: str
    write: Callable[[Notebook, Path], Notebook | bytes | None]
    points: float | None = 0.0  # for test_softmax; None: the submission is not graded at all
    reason: str = ""  # part of the line in the report, where it is not graded


TAMPERINGS: list[Tampering] = []


def tampering(
    attack: str, points: float | None = 0.0, reason: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(write: Callable[..., Any]) -> Callable[..., Any]:
        TAMPERINGS.append(Tampering(write.__name__, attack, write, points, reason))
        return write

    return note


def test_cell(notebook: Notebook) -> dict[str, Any]:
    return named(notebook, "test_softmax")


@tampering("the test cell is tagged so that it is not run")
def skip_execution(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["metadata"]["tags"] = ["skip-execution"]
    return notebook


@tampering("the test cell is there twice, once with full marks in it")
def duplicate_test(notebook: Notebook, folder: Path) -> Notebook:
    notebook["cells"].append(copy.deepcopy(test_cell(notebook)) | {"source": "3.0", "id": "other"})
    return notebook


@tampering("the test cell is deleted")
def delete_test(notebook: Notebook, folder: Path) -> Notebook:
    notebook["cells"].remove(test_cell(notebook))
    return notebook


@tampering("the test cell is deleted, but the answer is right", points=3.0)
def delete_test_of_right_answer(notebook: Notebook, folder: Path) -> Notebook:
    named(notebook, "softmax")["source"] = RIGHT
    return delete_test(notebook, folder)


@tampering("every test cell is deleted")
def delete_all_tests(notebook: Notebook, folder: Path) -> Notebook:
    notebook["cells"] = [
        cell for cell in notebook["cells"] if not cell["metadata"].get("nbgrader", {}).get("grade")
    ]
    return notebook


@tampering("the test cell stands before everything else")
def move_test_up(notebook: Notebook, folder: Path) -> Notebook:
    cell = test_cell(notebook)
    notebook["cells"].remove(cell)
    notebook["cells"].insert(0, cell)
    return notebook


@tampering("the test cell is text")
def retype_test(notebook: Notebook, folder: Path) -> Notebook:
    cell = test_cell(notebook)
    cell["cell_type"] = "markdown"
    cell.pop("outputs", None)
    cell.pop("execution_count", None)
    return notebook


@tampering("the test cell says something else")
def edit_test(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["source"] = "3.0"
    return notebook


@tampering("the test cell calls itself an answer, so that its text would be kept")
def test_as_answer(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["metadata"]["nbgrader"].update(solution=True, locked=False)
    test_cell(notebook)["source"] = "3.0"
    return notebook


@tampering("the test cell calls itself ungraded")
def ungraded_test(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["metadata"]["nbgrader"].update(grade=False, points=0)
    return notebook


@tampering("the test cell claims to be worth 300 points")
def more_points(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["metadata"]["nbgrader"]["points"] = 300
    return notebook


@tampering("the test cell's metadata has another schema")
def old_schema(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["metadata"]["nbgrader"]["schema_version"] = 1
    return notebook


@tampering("the metadata is of the wrong type everywhere")
def broken_metadata(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["metadata"]["nbgrader"] = {"grade_id": {"$": 1}}
    for cell in notebook["cells"][:2]:
        cell["metadata"] = ["not", "a", "dict"]
    notebook["metadata"] = "none"
    return notebook


@tampering("a test cell of its own with points")
def own_test(notebook: Notebook, folder: Path) -> Notebook:
    mark = {
        "grade": True,
        "grade_id": "test_bonus",
        "points": 50,
        "locked": True,
        "solution": False,
        "schema_version": 3,
        "task": False,
    }
    notebook["cells"].append(
        {
            "cell_type": "code",
            "id": "bonus",
            "metadata": {"nbgrader": mark},
            "source": "50",
            "outputs": [],
            "execution_count": None,
        }
    )
    return notebook


@tampering("the test cell comes with an output of full marks")
def forged_output(notebook: Notebook, folder: Path) -> Notebook:
    test_cell(notebook)["outputs"] = [
        {
            "output_type": "execute_result",
            "execution_count": 1,
            "data": {"text/plain": "3.0"},
            "metadata": {},
        }
    ]
    return notebook


@tampering("an output holds a script")
def script_in_output(notebook: Notebook, folder: Path) -> Notebook:
    html = {"output_type": "display_data", "data": {"text/html": SCRIPT}, "metadata": {}}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [copy.deepcopy(html)]
    return notebook


@tampering("cell ids are double, too long and not text")
def bad_ids(notebook: Notebook, folder: Path) -> Notebook:
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = ("same", "x" * 500, 7, "<script>")[number % 4]
    return notebook


@tampering("the notebook asks for another kernel")
def other_kernel(notebook: Notebook, folder: Path) -> Notebook:
    notebook["metadata"]["kernelspec"] = {"name": "bash", "display_name": "sh", "language": "bash"}
    return notebook


@tampering("a torch.py that shadows the library")
def shadow_torch(notebook: Notebook, folder: Path) -> Notebook:
    (folder / "torch.py").write_text(
        "def __getattr__(name):\n    return lambda *args, **kwargs: True\n"
    )
    return notebook


@tampering("a numpy package that shadows the library")
def shadow_numpy(notebook: Notebook, folder: Path) -> Notebook:
    (folder / "numpy").mkdir()
    (folder / "numpy" / "__init__.py").write_text("allclose = lambda *args, **kwargs: True\n")
    return notebook


@tampering("a course_utils of its own, in which play says what it likes")
def shadow_course(notebook: Notebook, folder: Path) -> Notebook:
    (folder / "course_utils").mkdir()
    (folder / "course_utils" / "__init__.py").write_text("def check(*args): return 3.0\n")
    (folder / "course_utils" / "judging.py").write_text("raise SystemExit\n")
    return notebook


@tampering("start-up files beside the notebook")
def startup_files(notebook: Notebook, folder: Path) -> Notebook:
    for name in (
        "sitecustomize.py",
        "usercustomize.py",
        "ipython_config.py",
        "conftest.py",
        "autograder.py",
    ):
        (folder / name).write_text("raise SystemExit('poisoned')\n")
    return notebook


@tampering("a link to the gradebook beside the notebook")
def link_beside(notebook: Notebook, folder: Path) -> Notebook:
    (folder / "data.db").symlink_to(folder.parents[2] / "gradebook.db")
    named(notebook, "softmax")["source"] += "\nprint(open('data.db', 'rb').read())"
    return notebook


@tampering("the notebook is a link to a neighbour's", points=None, reason="link")
def link_to_neighbour(notebook: Notebook, folder: Path) -> None:
    (folder / f"{UNIT}.ipynb").symlink_to(folder.parents[1] / "honest-1" / UNIT / f"{UNIT}.ipynb")


@tampering("the folder holds a thousand files and one of 100 MB")
def many_files(notebook: Notebook, folder: Path) -> Notebook:
    for number in range(1000):
        (folder / f"file{number}").touch()
    with open(folder / "big", "wb") as file:
        file.truncate(100 << 20)
    return notebook


@tampering("the notebook has 30 MB", points=None, reason="larger than")
def huge(notebook: Notebook, folder: Path) -> Notebook:
    named(notebook, "softmax")["source"] += "\n#" + "x" * (30 << 20)
    return notebook


@tampering("the notebook was cut off", points=None, reason="not JSON")
def cut_off(notebook: Notebook, folder: Path) -> bytes:
    return json.dumps(notebook).encode()[:1000]


@tampering("JSON nested so deeply that parsers fall over", points=None, reason="not JSON")
def nested(notebook: Notebook, folder: Path) -> bytes:
    return b"[" * 100_000 + b"]" * 100_000


@tampering("JSON that is no notebook", points=None, reason="not a notebook")
def not_a_notebook(notebook: Notebook, folder: Path) -> bytes:
    return b'{"cells": {"a": 1}}'


@tampering("a million cells", points=None, reason="more than")
def many_cells(notebook: Notebook, folder: Path) -> Notebook:
    notebook["cells"] += [{"cell_type": "markdown", "metadata": {}, "source": ""}] * 100_000
    return notebook


@tampering("no notebook at all", points=None, reason="no notebook")
def empty_folder(notebook: Notebook, folder: Path) -> None:
    return None


@tampering("two notebooks, none with the right name", points=None, reason="2 notebooks")
def two_notebooks(notebook: Notebook, folder: Path) -> None:
    for name in ("one.ipynb", "two.ipynb"):
        (folder / name).write_text(json.dumps(notebook))


@tampering("the notebook has another name")
def renamed(notebook: Notebook, folder: Path) -> None:
    (folder / f"Copy of {UNIT}.ipynb").write_text(json.dumps(notebook))


@tampering("the time of handing in is nonsense")
def forged_time(notebook: Notebook, folder: Path) -> Notebook:
    (folder / "timestamp.txt").write_text("yesterday, I swear\n")
    return notebook


@tampering("the answer stands in a cell of its own, and the answer cell is gone", points=3.0)
def answer_elsewhere(notebook: Notebook, folder: Path) -> Notebook:
    cell = named(notebook, "softmax")
    cell["source"], cell["metadata"], cell["id"] = RIGHT, {}, "mine"
    return notebook


@tampering("files with names that end a careless grader: 254 bytes, and not UTF-8")
def strange_names(notebook: Notebook, folder: Path) -> Notebook:
    (folder / ("n" * 254)).write_text("long")
    (folder / os.fsdecode(b"data\xff.txt")).write_text("bytes")
    return notebook


@tampering("a folder with the name of the notebook, beside a notebook with another name")
def folder_in_the_way(notebook: Notebook, folder: Path) -> None:
    (folder / f"{UNIT}.ipynb").mkdir()
    (folder / f"{UNIT}.ipynb" / "x").write_text("in the way")
    (folder / "hw.ipynb").write_text(json.dumps(notebook))


@tampering("a time of handing in that is one terabyte long")
def endless_time(notebook: Notebook, folder: Path) -> Notebook:
    with open(folder / "timestamp.txt", "wb") as file:
        file.truncate(1 << 40)
    return notebook


@tampering("text that takes a parser gigabytes of memory")
def long_text(notebook: Notebook, folder: Path) -> Notebook:
    text = {"cell_type": "markdown", "metadata": {}, "source": "a=1\n" * 500_000}
    notebook["cells"].insert(1, text)
    return notebook


@tampering("pictures in a text that tell somebody when it is read")
def beacons(notebook: Notebook, folder: Path) -> Notebook:
    named(notebook, "why")["source"] = (
        'Because. <img src="http://beacon.example/a"> ![b](http://beacon.example/b) ![c][1]\n\n'
        "[1]: http://beacon.example/c"
    )
    return notebook


@tampering("a lone surrogate in every text")
def surrogates(notebook: Notebook, folder: Path) -> Notebook:
    for cell in notebook["cells"]:
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = "".join(cell["source"]) + "\n# \ud800"
    return notebook
