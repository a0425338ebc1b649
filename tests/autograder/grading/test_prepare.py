"""A submission is made fit to run: marks come from the gradebook, answers from the student."""

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from autograder.collecting.repair import Unreadable
from autograder.grading.prepare import Cell, Template, prepare
from autograder.grading.record import Recorder
from tests.autograder import classroom
from tests.autograder.classroom import UNIT, named


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return classroom.make(tmp_path_factory.mktemp("prepare") / "course")


@pytest.fixture(scope="module")
def template(course: Any) -> Template:
    with Recorder(course, UNIT) as recorder:
        return recorder.template


@pytest.fixture
def notebook(course: Any) -> dict[str, Any]:
    return classroom.notebook(course, classroom.answers())


def cells(notebook: Any, template: Template) -> list[Cell]:
    return prepare(json.dumps(notebook).encode(), template).cells


def names(prepared: list[Cell]) -> list[str]:
    return [cell.known.name for cell in prepared if cell.known is not None]


def test_an_honest_notebook_stays_as_it_is(notebook: dict[str, Any], template: Template) -> None:
    done = prepare(json.dumps(notebook).encode(), template)
    assert done.repairs == []
    assert [cell.source for cell in done.cells if cell.known is None or not cell.known.locked] == [
        "".join(cell["source"])
        for cell in notebook["cells"]
        if not cell["metadata"].get("nbgrader", {}).get("locked")
    ]
    assert names(done.cells) == [cell.name for cell in template.cells]


def test_hidden_tests_come_back(notebook: dict[str, Any], template: Template) -> None:
    assert "HIDDEN" not in named(notebook, "test_rescaled")["source"]
    cell = next(
        c
        for c in cells(notebook, template)
        if c.known is not None and c.known.name == "test_rescaled"
    )
    assert "[1.0, 5.0, 9.0]" in cell.source


def test_template_round_trip(template: Template) -> None:
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(template), type=Template) == template


def test_marks_are_the_gradebooks(notebook: dict[str, Any], template: Template) -> None:
    mark = named(notebook, "test_softmax")["metadata"]["nbgrader"]
    mark.update(points=300, grade=False, solution=True, locked=False, schema_version=99)
    cell = next(
        c
        for c in cells(notebook, template)
        if c.known is not None and c.known.name == "test_softmax"
    )
    assert cell.as_dict()["metadata"]["nbgrader"] | {"checksum": ""} == {
        "schema_version": 3, "grade": True, "solution": False, "task": False, "locked": True,
        "grade_id": "test_softmax", "cell_type": "code", "checksum": "", "points": 3.0,
    }  # fmt: skip


def test_missing_tests_stand_after_their_answers_again(
    notebook: dict[str, Any], template: Template
) -> None:
    notebook["cells"] = [
        c for c in notebook["cells"] if not c["metadata"].get("nbgrader", {}).get("grade")
    ]
    done = prepare(json.dumps(notebook).encode(), template)
    order = names(done.cells)
    assert order.index("test_softmax") == order.index("softmax") + 1
    assert sorted(order) == sorted(cell.name for cell in template.cells)
    assert any("test_softmax was missing" in note for note in done.repairs)


def test_an_answer_in_an_unmarked_cell_is_not_overwritten(
    notebook: dict[str, Any], template: Template
) -> None:
    answer = named(notebook, "softmax")
    answer["metadata"], answer["id"] = {}, "mine"
    done = cells(notebook, template)
    at = names(done).index("softmax")
    assert names(done)[at + 1] == "test_softmax"
    assert (
        next(c.source for c in done if c.known is not None and c.known.name == "softmax")
        == answer["source"]
    )


def test_a_test_before_its_answer_is_moved(notebook: dict[str, Any], template: Template) -> None:
    test = named(notebook, "test_softmax")
    notebook["cells"].remove(test)
    notebook["cells"].insert(0, test)
    order = names(cells(notebook, template))
    assert order.index("test_softmax") == order.index("softmax") + 1


def test_of_double_cells_the_last_counts(notebook: dict[str, Any], template: Template) -> None:
    twin = copy.deepcopy(named(notebook, "softmax"))
    twin["source"] = "second = True"
    notebook["cells"].insert(0, twin)
    done = cells(notebook, template)
    assert names(done).count("softmax") == 1
    assert done[0].known is None
    assert len({cell.id for cell in done}) == len(done)


def test_a_lost_mark_is_found_by_the_cells_id(notebook: dict[str, Any], template: Template) -> None:
    named(notebook, "softmax")["metadata"] = {}
    done = prepare(json.dumps(notebook).encode(), template)
    assert "softmax" in names(done.cells)
    assert any("recognised by its id" in note for note in done.repairs)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{}",
        b"null",
        b'{"cells": 1}',
        b'{"cells": [1]}',
        b'{"cells": [{"cell_type": "code", "source": 3}]}',
        b"\xff\xfe",
        b"[" * 99999,
    ],
)
def test_what_is_no_notebook_is_told_so(raw: bytes, template: Template) -> None:
    with pytest.raises(Unreadable):
        prepare(raw, template)


def test_the_folder_of_the_fixture_is_a_course(course: Any) -> None:
    assert Path(course.root, "gradebook.db").is_file()
