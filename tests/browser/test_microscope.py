"""`microscope(q, k, v, mask)` of a notebook: what its HTML shows in a browser is what torch
computes.
"""

import html
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from torch import Tensor

from autograder.course import SOURCE_TREE
from course_utils.masking import causal_mask, masked_attention
from course_utils.microscope import microscope
from course_utils.training import seeded
from tests.conftest import need
from tools import bundle


def tensors(*shapes: tuple[int, ...]) -> list[Tensor]:
    generator = seeded(0)
    return [torch.randn(shape, generator=generator) for shape in shapes]


def test_the_script_of_the_notebooks_is_up_to_date() -> None:
    """Otherwise run `python -m tools.bundle`."""
    for path, text in bundle.for_notebooks().items():
        assert path.read_text(encoding="utf-8") == text, path.name


def shown(page: Any, caption: str) -> list[list[str]]:
    """A table of the page, cell by cell."""
    rows = page.locator(f'table:has(caption:text("{caption}")) tbody tr')
    return [row.locator("td").all_inner_texts() for row in rows.all()]


def test_own_tensors_are_shown_with_their_weights(page: Any, tmp_path: Any) -> None:
    q, k, v = tensors((2, 5, 4), (2, 5, 4), (2, 5, 3))
    mask = causal_mask(5)
    words = ["one", "<b>two</b>", "three", "four", "five"]
    file = tmp_path / "cell.html"
    html = microscope(q.requires_grad_(), k, v, mask, words)._repr_html_()
    file.write_text(f"<!doctype html><meta charset='utf-8'>{html}", encoding="utf-8")
    page.goto(file.as_uri())
    page.locator('figure[data-state="alive"]').wait_for()
    output, weights = masked_attention(q[0].detach(), k[0], v[0], mask)
    cells = shown(page, "weights")
    for t in range(5):
        for s in range(5):
            if not mask[t, s]:
                assert cells[t][s] == "×"
            else:
                text = cells[t][s].replace("<.01", "0")
                assert float(text) == pytest.approx(float(weights[t, s]), abs=0.0051)
    for line, expected in zip(shown(page, "output"), output, strict=True):
        for text, value in zip(line, expected.tolist(), strict=True):
            assert float(text.replace("−", "-")) == pytest.approx(value, abs=0.0051)
    assert "<b>two</b>" in page.locator("figure").inner_text(), "words are text, not HTML"
    page.get_by_label("the scores are not divided by √d").check()
    assert page.locator("u").count() > 0
    assert page.problems == []


def test_two_of_them_in_one_page_do_not_meet(page: Any, tmp_path: Any) -> None:
    file = tmp_path / "cells.html"
    parts = []
    for n in (2, 3):
        q, k, v = tensors((n, 2), (n, 2), (n, 2))
        parts.append(microscope(q, k, v)._repr_html_())
    file.write_text("<!doctype html><meta charset='utf-8'>" + "".join(parts), encoding="utf-8")
    page.goto(file.as_uri())
    alive = page.locator('figure[data-state="alive"]')
    alive.nth(1).wait_for()
    sizes = [
        alive.nth(i).locator('table:has(caption:text("weights")) tbody tr').count() for i in (0, 1)
    ]
    assert sizes == [2, 3]


@pytest.mark.parametrize(
    ("shapes", "mask", "told"),
    [
        (((4,), (4, 2), (4, 2)), None, "q should be a tensor"),
        (((3, 2), (4, 3), (4, 2)), None, "q has 2 features and k has 3"),
        (((3, 2), (4, 2), (5, 2)), None, "4 keys and 5 values"),
        (((3, 2), (0, 2), (0, 2)), None, "k is empty"),
        (((3, 2), (4, 2), (4, 2)), torch.zeros(3, 4), "should be boolean"),
    ],
)
def test_what_cannot_be_shown_gets_a_sentence(
    shapes: tuple[tuple[int, ...], ...], mask: Tensor | None, told: str
) -> None:
    q, k, v = tensors(*shapes)
    with pytest.raises(ValueError, match=told):
        microscope(q, k, v, mask)


def test_large_tensors_are_cut_and_say_so() -> None:
    q, k, v = tensors((2, 3, 40, 64), (2, 3, 50, 64), (2, 3, 50, 64))
    view = microscope(q, k, v)
    keys = view.numbers["k"]
    assert isinstance(keys, list)
    assert [len(keys), len(keys[0])] == [12, 64]
    assert "only the first 12 steps" in repr(view)
    q, k, v = tensors((3, 2), (3, 2), (3, 2))
    q[0, 0] = torch.nan
    with pytest.raises(ValueError, match="NaN"):
        microscope(q, k, v)


# Where notebooks are read -------------------------------------------------------------------------

CELL = """\
import torch
from course_utils.masking import causal_mask
from course_utils.microscope import microscope

q, k, v = torch.randn(3, 4, 2, generator=torch.Generator().manual_seed(3))
microscope(q, k, v, causal_mask(4), ["one", "two", "three", "four"])"""


def used(figure: Any) -> None:
    """The microscope computes, answers a click, and shows a mistake."""
    figure.locator('[data-cell="2,1"]').first.click()
    assert "three looks at two" in figure.locator(".live-story").inner_text()
    figure.get_by_label("the scores are not divided by √d").check()
    assert figure.locator("u").count() > 0


def test_it_works_in_a_frame_without_an_origin(page: Any, tmp_path: Path) -> None:
    """As Colab shows the output of a cell: a frame that may run scripts and nothing else."""
    q, k, v = tensors((4, 2), (4, 2), (4, 2))
    shown = microscope(q, k, v, causal_mask(4), ["one", "two", "three", "four"])._repr_html_()
    inside = html.escape(f"<!doctype html><meta charset='utf-8'>{shown}", quote=True)
    file = tmp_path / "colab.html"
    file.write_text(
        "<!doctype html><meta charset='utf-8'><title>outside</title>"
        f'<iframe sandbox="allow-scripts" style="width:100%;height:900px" srcdoc="{inside}">'
        "</iframe>",
        encoding="utf-8",
    )
    page.goto(file.as_uri())
    frame = page.frame_locator("iframe")
    figure = frame.locator('figure[data-state="alive"]')
    figure.wait_for()
    assert page.frames[1].evaluate("window.origin") == "null"
    used(figure)
    assert page.problems == []


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """JupyterLab with one notebook: its address."""
    need(importlib.util.find_spec("jupyterlab"), "JupyterLab (the extra `lab`)")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (tmp_path / "work").mkdir()
    nbformat.write(notebook, tmp_path / "work" / "own.ipynb")
    config = tmp_path / "config.json"
    server = {"token": "", "password": "", "open_browser": False, "root_dir": f"{tmp_path}/work"}
    server |= {"ip": "127.0.0.1", "port": 8900, "port_retries": 500, "allow_root": True}
    lab = {"check_for_updates_class": "jupyterlab.NeverCheckForUpdate", "news_url": None}
    config.write_text(
        json.dumps({"ServerApp": server, "IdentityProvider": {"token": ""}, "LabApp": lab})
    )
    folders = {
        f"JUPYTER_{kind}_DIR": f"{tmp_path}/{kind}" for kind in ("CONFIG", "DATA", "RUNTIME")
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyter", "lab", f"--config={config}"],
        cwd=SOURCE_TREE,
        env={**os.environ, **folders, "PYTHONPATH": str(SOURCE_TREE)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield f"{answers(tmp_path / 'RUNTIME', process)}lab/tree/own.ipynb"
    finally:
        process.terminate()
        process.wait(60)


def answers(runtime: Path, process: subprocess.Popen[bytes], most: float = 600) -> str:
    """Wait until the server answers: its address, which it writes down once it is bound."""
    end = time.monotonic() + most
    while time.monotonic() < end and process.poll() is None:
        try:
            address = json.loads((runtime / f"jpserver-{process.pid}.json").read_text())["url"]
            urllib.request.urlopen(f"{address}api", timeout=10).close()
        except (ValueError, OSError):
            time.sleep(0.2)
        else:
            return str(address)
    pytest.fail("JupyterLab did not start")


def run_the_cell(page: Any, times: int = 12) -> None:
    """Click into the first cell and run it, as often as it takes until it is running.

    A key that is pressed before the kernel is connected is lost: so the toolbar is asked first
    whether the kernel is idle, and the prompt of the cell afterwards whether it began.
    """
    from playwright.sync_api import TimeoutError as NotYet

    page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').wait_for()
    began = page.locator(".jp-CodeCell .jp-InputPrompt", has_text=re.compile(r"\[(\*|\d+)\]"))
    for _ in range(times):
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        try:
            began.first.wait_for(timeout=15_000)
        except NotYet:
            continue
        return
    pytest.fail("JupyterLab did not run the cell")


def test_it_works_in_jupyterlab(lab: str, browser: Any) -> None:
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    page.goto(lab)
    run_the_cell(page)
    figure = page.locator('.jp-OutputArea figure[data-state="alive"]')
    figure.wait_for()
    used(figure)
    page.close()
