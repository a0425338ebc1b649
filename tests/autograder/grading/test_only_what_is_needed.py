"""The warm process imports what the code of a unit and of its students needs, and no more."""

import json
from typing import Any

import pytest

from autograder.course import SOURCE_TREE, Limits
from autograder.grading import launch
from autograder.sandbox import warm
from autograder.sandbox.orders import Order

DRAWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"


def released(*cells: str) -> bytes:
    code = [{"cell_type": "code", "source": cell, "metadata": {}} for cell in cells]
    return json.dumps({"cells": code}).encode()


def test_cells_that_wait_for_the_student_do_not_count() -> None:
    text = launch.code_that_runs([released("x = 1", 'if ready("x"):\n    fit(x)', "y = 2")])
    assert text == "x = 1\ny = 2"


def test_what_a_student_adds_counts() -> None:
    before = released("def f(): ...", 'if ready("f"):\n    fit(f)')
    assert launch.words_added(before, before) == set()
    after = released("def f(): ...", 'if ready("f"):\n    fit(f)', DRAWN)
    assert launch.words_added(before, after) == {"matplotlib", "plt."}


@pytest.mark.parametrize(("unit", "further"), [("01", ()), ("06", warm.DRAWING)])
def test_what_the_units_need(unit: str, further: tuple[str, ...]) -> None:
    path = next((SOURCE_TREE / "assignments").glob(f"{unit}_*/*.ipynb"))
    text = launch.code_that_runs([path.read_bytes()])
    with launch.Sandbox(path.stem, 3, text) as sandbox:
        assert sandbox.further == further


@pytest.mark.sandbox
def test_a_figure_that_nobody_expected_is_drawn_without_a_complaint() -> None:
    outputs: list[dict[str, Any]] = []
    with launch.Sandbox("01_nadaraya_watson", 3) as sandbox:
        assert sandbox.proven().holds
        with sandbox.launcher.launch(Limits()) as child:
            answer, _ = child.order("cell", Order(60.0), {"code": DRAWN}, outputs.append)
    assert answer["done"]
    assert [output["output_type"] for output in outputs] == ["display_data"]
    assert "image/png" in outputs[0]["data"]
