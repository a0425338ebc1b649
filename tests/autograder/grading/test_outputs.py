"""Outputs from a student's process are made harmless, and merged as a notebook does it."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.grading.outputs import Outputs, bundle, html, markdown


def outputs(*raw: dict[str, Any]) -> list[dict[str, Any]]:
    collected = Outputs()
    for each in raw:
        collected.add(each)
    return collected.finished()


def stream(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def test_streams_are_merged() -> None:
    assert outputs(stream("a"), stream("b"), stream("c", "stderr")) == [
        stream("ab"),
        stream("c", "stderr"),
    ]


def test_clearing_and_updating() -> None:
    shown = {
        "output_type": "display_data",
        "data": {"text/plain": "1"},
        "metadata": {},
        "display_id": "x",
    }
    assert outputs(stream("a"), {"output_type": "clear", "wait": False}, stream("b")) == [
        stream("b")
    ]
    assert outputs(stream("a"), {"output_type": "clear", "wait": True}) == [stream("a")]
    assert outputs(stream("a"), {"output_type": "clear", "wait": True}, stream("b")) == [
        stream("b")
    ]
    assert outputs(shown, shown | {"data": {"text/plain": "2"}, "update": True})[0]["data"] == {
        "text/plain": "2"
    }


@pytest.mark.parametrize(
    "mime",
    [
        "application/javascript",
        "image/svg+xml",
        "text/markdown",
        "text/latex",
        "application/vnd.jupyter.widget-view+json",
    ],
)
def test_active_formats_are_dropped(mime: str) -> None:
    assert bundle({mime: "<script>", "text/plain": "x"}) == {"text/plain": "x"}
    assert list(bundle({mime: "<script>"})) == ["text/plain"]


def test_html_is_cleaned_and_pictures_are_pictures() -> None:
    html = bundle(
        {"text/html": "<b onclick='x()'>hi</b><script>x()</script><a href='javascript:x()'>y</a>"}
    )["text/html"]
    assert html.startswith("<b>hi</b>")
    assert "script" not in html
    assert bundle({"image/png": "iVBOR\n", "text/plain": "x"}) == {
        "image/png": "iVBOR\n",
        "text/plain": "x",
    }
    assert bundle({"image/png": '"><script>', "text/plain": "x"}) == {"text/plain": "x"}


def test_long_outputs_are_shortened() -> None:
    (long,) = outputs(stream("x\n" * 5000))
    assert long["text"].count("\n") <= 1000
    assert long["text"].endswith("truncated ...")
    (error,) = outputs(
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["l"] * 500}
    )
    assert len(error["traceback"]) == 100


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "output_type",
                "name",
                "text",
                "data",
                "traceback",
                "display_id",
                "update",
                "execution_count",
            ]
        ),
        st.none()
        | st.text(max_size=5)
        | st.integers()
        | st.lists(st.integers(), max_size=2)
        | st.just("stream")
        | st.just("error")
        | st.just("display_data")
        | st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    )
)
def test_anything_can_come(raw: dict[str, Any]) -> None:
    for output in outputs(raw):
        assert output["output_type"] in ("stream", "error", "display_data", "execute_result")


def test_html_grows_no_larger_than_it_may() -> None:
    """Formatting that is never closed is opened again in every block: 23 kB came to gigabytes."""
    tags = ("a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "tt", "u")
    nested = {
        "attributes": "".join(f"<b x={i}>" for i in range(2000)) + "<p>x" * 2500,
        "slashes": "".join(f"<i/x={i}>" for i in range(2000)) + "<p>x" * 2500,
        "tables": "".join(f"<b x={i}><table><td></b></td></table>" for i in range(700)) + "<p>" * 9,
        "all tags": "".join(f"<{tag}>" * 3 for tag in tags) + "<p>x" * 4800,
        "deep": "<div>" * 4900,
    }
    for name, text in nested.items():
        cleaned = html(text)
        assert cleaned is not None, name
        assert len(cleaned) < 20 * len(text), name
    assert html("<p>" * 6000) is None
    assert html("x" * 600_000) is None
    assert list(bundle({"text/html": "<p>" * 6000})) == ["text/plain"]


@pytest.mark.parametrize(
    "beacon",
    [
        '<img src="http://example.org/x.png">',
        '<img src="//example.org/x.png">',
        '<img src="data:image/svg+xml,<svg/>">',
        '<img src=x srcset="http://example.org/x.png 2x">',
        '<video poster="http://example.org/x.png"></video>',
        '<table background="http://example.org/x.png"><tr><td>1</table>',
        '<p style="background:url(http://example.org/x.png)">x</p>',
        '<link rel=stylesheet href="http://example.org/x.css">',
        '<a href="http://example.org" ping="http://example.org/x">x</a>',
    ],
)
def test_nothing_is_loaded_from_elsewhere(beacon: str) -> None:
    cleaned = html(beacon)
    assert cleaned is not None
    assert "example.org" not in cleaned
    assert "svg" not in cleaned
    text = markdown(f"Look: {beacon} a<b ![chart](http://example.org/y.png) ![z][1]")
    assert not re.search(r"<[A-Za-z/!?]", text)
    assert "![" not in text


def test_what_is_harmless_stays() -> None:
    picture = '<img src="data:image/png;base64,iVBORw0KGgo=" alt="a">'
    table = "<table><tbody><tr><td>1</td></tr></tbody></table>"
    assert html(table) == table
    assert "base64,iVBORw0KGgo=" in str(html(picture))
    kept = "1 < 2, $x^2$, **bold**, [link](http://example.org), ![a](data:image/png;base64,iVBO)"
    assert markdown(kept) == kept
